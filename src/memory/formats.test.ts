import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateFormat, numberFormat, timeZones } from './formats.ts'

const noon = new Date('2026-05-01T12:00:00Z')

test('a formatter is made once for a language and options, and never used for others', () => {
  const inZone = (language: string, timeZone: string) => dateFormat(language, { timeStyle: 'short', timeZone })
  assert.equal(inZone('en', 'UTC'), inZone('en', 'UTC'))
  assert.deepEqual(
    [inZone('en', 'UTC'), inZone('en', 'Asia/Tokyo'), inZone('fr', 'Asia/Tokyo')].map((one) => one.format(noon)),
    ['12:00 PM', '9:00 PM', '21:00'],
  )
  assert.equal(numberFormat('en', {}).format(1234.5), '1,234.5')
})

test('at most 200 are kept, whatever time zones organisations choose', () => {
  const first = dateFormat('en', { timeZone: '+00:00' })
  const zone = (n: number) => `+${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`
  for (let n = 1; n <= 200; n += 1) dateFormat('en', { timeZone: zone(n) })
  assert.notEqual(dateFormat('en', { timeZone: '+00:00' }), first)
})

test('each time zone is listed once, and a formatter knows it', () => {
  const zones = timeZones()
  assert.equal(zones[0], 'UTC')
  assert.equal(new Set(zones).size, zones.length)
  assert(zones.includes('Africa/Johannesburg'))
  for (const timeZone of zones) assert.equal(dateFormat('en', { timeZone }).resolvedOptions().timeZone, timeZone)
})
