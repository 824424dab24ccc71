import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeOfMoment, type ValidityMoment, validityOf } from './validity.ts'

const issuedAt = new Date('2028-01-31T12:34:56.789Z')

for (const [what, moment, expected] of [
  ['a date is its first moment', '2030-06-01', '2030-06-01T00:00:00.000Z'],
  ['a time is itself', '2030-06-01T08:30:00Z', '2030-06-01T08:30:00.000Z'],
  ['days are days', { future: { days: 30 } }, '2028-03-01T12:00:00.000Z'],
  ['the last day of a month stays one, in a leap year too', { future: { months: 1 } }, '2028-02-29T12:00:00.000Z'],
  ['the last day of a month stays one', { future: { years: 1, months: 1 } }, '2029-02-28T12:00:00.000Z'],
  ['years, months and days add up', { future: { years: 1, months: 11, days: 1 } }, '2030-01-01T12:00:00.000Z'],
] as const) {
  test(`of a validity ${what}`, () => {
    assert.equal(timeOfMoment(moment as ValidityMoment, validityOf({}, issuedAt).iat).toISOString(), expected)
  })
}

test('a credential is valid from and until the times of its template, counted from its rounded time [VCI-C15]', () => {
  const { iat, nbf, exp } = validityOf(
    { validFrom: { future: { days: 1 } }, validUntil: { future: { months: 6 } } },
    issuedAt,
  )
  assert.deepEqual(
    [iat, nbf, exp].map((time) => time?.toISOString()),
    ['2028-01-31T12:00:00.000Z', '2028-02-01T12:00:00.000Z', '2028-07-31T12:00:00.000Z'],
  )
  const open = validityOf({}, issuedAt)
  assert.deepEqual([open.nbf, open.exp], [undefined, undefined])
})
