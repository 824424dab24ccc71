import type { TenantId, UserId } from '../../caller.ts'
import { isBase64url } from '../../crypto/base64url.ts'
import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'
import { randomId } from '../../crypto/random.ts'
import { idBytes, idText } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { makeCookie, readSignInCookie } from './cookies.ts'
import type { UserRef } from './visit.ts'

/** A browser at which a user signed in before. It proves nothing but that; its failed sign-ins are counted apart. */
type KnownDevice = { readonly tenantId: TenantId; readonly userId: UserId; readonly deviceId: string }

const DAYS = 365
const ID_BYTES = 16
const TIME_BYTES = 6
const MAC_BYTES = 32
const TEXT_CHARS = ((3 * ID_BYTES + TIME_BYTES + MAC_BYTES) * 4) / 3

type Needs = Pick<Platform, 'sealing' | 'urls' | 'clock'>

/** Returns the Set-Cookie header of a device at which this user has signed in. Signed; it expires after a year. */
export async function deviceCookie(
  needs: Needs,
  { tenantId, userId }: UserRef,
  known: KnownDevice | null,
): Promise<string> {
  const deviceId = known?.userId === userId && known.tenantId === tenantId ? known.deviceId : randomId()
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUIntBE(needs.clock.now().getTime(), 0, TIME_BYTES)
  const body = Buffer.concat([idBytes(tenantId), idBytes(userId), idBytes(deviceId), time])
  const text = Buffer.concat([body, await macOf(needs, body)]).toString('base64url')
  return makeCookie(needs, 'device', text, DAYS * 86_400)
}

/** Returns the known device that a Cookie header names; null if there is none, or it was forged or has expired. */
export async function findKnownDevice(needs: Needs, cookieHeader: string | undefined): Promise<KnownDevice | null> {
  const text = readSignInCookie(needs, 'device', cookieHeader) ?? ''
  if (text.length !== Math.ceil(TEXT_CHARS) || !isBase64url(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  const body = bytes.subarray(0, -MAC_BYTES)
  if (!equalInConstantTime(bytes.subarray(-MAC_BYTES), await macOf(needs, body))) return null
  const age = needs.clock.now().getTime() - body.readUIntBE(3 * ID_BYTES, TIME_BYTES)
  if (age > DAYS * 86_400_000) return null
  const id = (at: number) => idText(body.subarray(at * ID_BYTES, (at + 1) * ID_BYTES))
  // The MAC proves that this platform wrote these ids.
  return { tenantId: id(0) as TenantId, userId: id(1) as UserId, deviceId: id(2) }
}

async function macOf({ sealing }: Needs, body: Buffer): Promise<Buffer> {
  return hmacSha256(await sealing.derive(platformTenantId, 'sign-in device'), body)
}
