import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../caller.ts'
import { Memory } from '../memory/memory.ts'
import { newId } from '../store/row-id.ts'
import { readTable } from './read-table.ts'
import type { TableOptions } from './table.ts'
import { aWorkbook, rowsOf } from './test-support/a-workbook.ts'

const options: TableOptions = { rowsMax: 10_000, columnsMax: 100, cells: 'tidied' }
const [ours, others] = [newId() as TenantId, newId() as TenantId]
const STALL_MS_MAX = 50
const TICK_MS = 5

/**
 * Runs work, and returns the longest time in which nothing else of the process had its turn: as CPU time of the main
 * thread, which other processes of the machine do not change.
 */
async function stallOf(work: () => Promise<unknown>): Promise<number> {
  const cpu = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let [longest, last] = [0, cpu()]
  const turn = () => {
    const now = cpu()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(turn, TICK_MS)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  turn()
  return longest
}

const cell = (text: string) => `<c t="s"><v>${text}</v></c>`
const hostile = [
  [
    'of few bytes that becomes 200 million characters',
    () =>
      aWorkbook({
        sheets: [{ rows: `<row>${cell('0').repeat(40)}</row>`.repeat(500) }],
        strings: [`<t>${'x'.repeat(9999)}</t>`],
      }),
    'chars',
  ],
  ['of elements inside of each other', () => aWorkbook({ sheets: [{ rows: '<a>'.repeat(8_000_000) }] }), 'effort'],
  ['of empty rows without end', () => aWorkbook({ sheets: [{ rows: '<row/>'.repeat(3_900_000) }] }), 'rows'],
  ['that unpacks to far more', () => aWorkbook({ sheets: [{ rows: ' '.repeat(96 * 1024 * 1024) }] }), 'bytes'],
  [
    'of empty texts without end',
    () => aWorkbook({ sheets: [{ rows: '' }], strings: Array(4_000_000).fill('') }),
    'effort',
  ],
  [
    'with one text of 40 MiB',
    () => aWorkbook({ sheets: [{ rows: `<row>${cell('0')}</row>` }], strings: [`<t>${'é'.repeat(20_000_000)}</t>`] }),
    'cell',
  ],
  ['of doubled quotes', () => Buffer.from(`a,b\n"${'""'.repeat(4_000_000)}",x\n`), 'cell'],
  ['of cells of doubled quotes', () => Buffer.from(`a\n${`"${'""'.repeat(4000)}"\n`.repeat(300)}`), null],
  ['of empty lines', () => Buffer.from(`a\n${'\n'.repeat(8_000_000)}`), 'empty'],
] as const

for (const [what, make, rule] of hostile) {
  test(`a table ${what} is refused in words or read, and holds up no other request`, async () => {
    const needs = { memory: new Memory() }
    const bytes = make()
    const heapBefore = process.memoryUsage().heapUsed
    let seen: unknown = null
    const stall = await stallOf(async () => {
      try {
        await readTable(needs, ours, bytes, options)
      } catch (error) {
        seen = Object(Object(error).meta).rule
      }
    })
    // On a slow machine the time ends first.
    assert(seen === rule || (rule !== null && seen === 'effort'), `${seen}, not ${rule}`)
    assert(stall < STALL_MS_MAX, `nothing else ran for ${stall} ms of CPU`)
    console.log(`the main thread was busy for ${Math.round(stall)} ms at most`)
    assert(process.memoryUsage().heapUsed - heapBefore < 150_000_000)
  })
}

test('while tables of one tenant are read, and more of them wait, another tenant reads one', async () => {
  const needs = { memory: new Memory() }
  const slow = aWorkbook({ sheets: [{ rows: `<row>${'<c><v>1</v></c>'.repeat(40)}</row>`.repeat(10_000) }] })
  const small = aWorkbook({ sheets: [{ rows: rowsOf([['name'], ['Ada']]) }] })
  const ended: string[] = []
  const read = async (tenant: TenantId, bytes: Uint8Array, name: string) => {
    await readTable(needs, tenant, bytes, options).catch(() => null)
    ended.push(name)
  }
  await Promise.all([read(ours, slow, 'first'), read(ours, slow, 'second'), read(others, small, 'other')])
  assert.equal(ended[0], 'other')
})

test('a tenant with as many tables as may wait is told to try again', async () => {
  const needs = { memory: new Memory() }
  const bytes = Buffer.from('a\nb')
  const all = await Promise.allSettled(Array.from({ length: 6 }, () => readTable(needs, ours, bytes, options)))
  const refused = all.flatMap((one) => (one.status === 'rejected' ? [Object(one.reason).code] : []))
  // One of six at least; where workers begin slowly, those that waited too long as well.
  assert.ok(refused.length >= 1, 'none was refused')
  assert.deepEqual([...new Set(refused)], ['request.rate_limited'])
})

test('a table comes in pieces, whole and in order', async () => {
  const needs = { memory: new Memory() }
  const lines = Array.from({ length: 10_000 }, (_, at) => `${at};${'x'.repeat(100)};1,5`)
  const { header, rows, form } = await readTable(needs, ours, Buffer.from(`n;text;score\n${lines.join('\n')}`), options)
  assert.deepEqual(
    [header, rows.length, form.delimiter, form.decimal],
    [['n', 'text', 'score'], 10_000, 'semicolon', 'comma'],
  )
  assert(rows.every(({ number, cells }, at) => number === at + 2 && cells[0] === String(at)))
})
