import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildNotification, readNotification } from './notification.ts'

test('what a wallet posts is read, whatever else is in it [VCI-X1]', () => {
  const notification = { notificationId: 'n', event: 'credential_accepted' } as const
  assert.deepEqual(readNotification({ ...buildNotification(notification), event_description: 'fine' }), notification)
})

for (const [what, body] of [
  ['no object', []],
  ['no id', { event: 'credential_accepted' }],
  ['an id that is no string', { notification_id: 1, event: 'credential_accepted' }],
  ['no event', { notification_id: 'n' }],
  ['an unknown event', { notification_id: 'n', event: 'credential_lost' }],
] as const) {
  test(`a notification with ${what} is refused [VCI-X3]`, () => {
    assert.throws(() => readNotification(body), { code: 'notification.invalid' })
  })
}
