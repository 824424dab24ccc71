import { randomId } from '../crypto/random.ts'

/** 12 bits, three digits of an id. */
const COUNTER_MAX = 0xfff
/**
 * A time that is earlier than the last one by more than this starts a new sequence: of {@link idAt}, and of
 * {@link newId}.
 */
const SET_BACK_MS_MAX = 1000
const SYSTEM_SET_BACK_MS_MAX = 60_000

/**
 * Returns an id for a row: UUID version 7, so that ids sort by creation time; ids of one process also within a
 * millisecond, and when its clock is set back by less than a minute. Not a secret.
 *
 * @see [RFC 9562, 6.2, method 1](https://www.rfc-editor.org/rfc/rfc9562#section-6.2)
 */
export function newId(): string {
  return bySystem(timeMs())
}

let timeMs = (): number => Date.now()

/**
 * Makes the ids of this process contain the time of a clock, by default that of the machine. All servers of a process
 * have the same time.
 */
export function idsFollow(now: () => Date): void {
  timeMs = () => Math.floor(now().getTime())
}

/**
 * As {@link newId}, for rows that are filtered by the time in their ids: the time is `now`, or up to a second later to
 * keep the order.
 */
export function idAt(now: Date): string {
  return byClock(now.getTime())
}

/** Returns the time in an id. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/** Returns the lowest id with this time. */
export function lowestIdAt(time: Date): string {
  return `${startOf(Math.max(0, time.getTime()))}000-8000-000000000000`
}

const bySystem = idsInOrder(SYSTEM_SET_BACK_MS_MAX)
const byClock = idsInOrder(SET_BACK_MS_MAX)

function idsInOrder(setBackMsMax: number): (ms: number) => string {
  let lastMs = 0
  let counter = 0
  let start = ''
  const begin = (ms: number) => {
    lastMs = ms
    start = startOf(ms)
  }
  return (ms) => {
    const random = randomId()
    if (ms > lastMs || ms < lastMs - setBackMsMax) {
      begin(ms)
      // The lower half, so that the counter can be incremented.
      counter = Number.parseInt(random.slice(0, 3), 16) >> 1
    } else if (counter < COUNTER_MAX) {
      counter += 1
    } else {
      begin(lastMs + 1)
      counter = 0
    }
    return `${start}${counter.toString(16).padStart(3, '0')}-${random.slice(19)}`
  }
}

/** The first two groups of an id, and the version. */
function startOf(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7`
}
