import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf, type Part } from '../scripts/survival/soak-parts.ts'

const parts = (change: Partial<Record<'megabytes' | 'p99' | 'failed', readonly number[]>>): Part[] =>
  Array.from({ length: 6 }, (_, at) => ({
    megabytes: change.megabytes?.[at] ?? 500,
    p99: change.p99?.[at] ?? 100,
    slowest: 900,
    perSecond: 80,
    failed: change.failed?.[at] ?? 0,
  }))

const flat: readonly (readonly [name: string, change: Parameters<typeof parts>[0]])[] = [
  ['equal parts', {}],
  ['a first part with less memory', { megabytes: [300, 500, 510, 520, 520, 530] }],
  ['a fast end', { p99: [160, 150, 150, 160, 80, 80] }],
]
for (const [name, change] of flat) test(`${name} are flat`, () => assert.deepEqual(faultsOf(parts(change)), []))

const faulty: readonly (readonly [name: string, change: Parameters<typeof parts>[0], says: RegExp])[] = [
  ['memory that grows', { megabytes: [500, 500, 500, 560, 610, 620] }, /memory grew to 1.23 times/],
  ['memory of the fourth part', { megabytes: [500, 500, 500, 650, 500, 500] }, /^memory was 1.30 times .* part 4$/],
  ['memory of the first part', { megabytes: [700, 500, 500, 500, 500, 500] }, /^memory was 1.40 times .* part 1$/],
  ['latency that grows', { p99: [100, 100, 100, 130, 160, 170] }, /slowest one in a hundred grew to 1.65 times/],
  ['latency of the fourth part', { p99: [100, 100, 100, 369, 100, 100] }, /^the slowest .* 3.69 times .* part 4$/],
  ['latency of the first part', { p99: [250, 100, 100, 100, 100, 100] }, /^the slowest .* 2.50 times .* part 1$/],
  ['a part without any answer', { p99: [100, 100, Number.NaN, 100, 100, 100] }, /is not known in each part/],
  ['a failure', { failed: [0, 0, 0, 1, 0, 0] }, /^1 issuances failed$/],
]
for (const [name, change, says] of faulty)
  test(`${name} is a fault`, () => assert.match(faultsOf(parts(change)).join(', '), says))
