import type { Platform } from '../../platform.ts'
import { judgeMdoc } from './check-mdoc-presentation.ts'
import { judgeSdJwt } from './check-sd-jwt-presentation.ts'
import type { Expected, Judged } from './checked-credential.ts'

/**
 * Checks one presentation by itself, as the format that was asked for (3.9 step 5) and no other.
 *
 * Issuer documents, revocation lists and status lists are fetched, bounded and cached. Whether it answers the query is NOT checked here.
 */
export function judgePresentation(
  platform: Pick<Platform, 'fetch' | 'config'>,
  presentation: string,
  expected: Expected,
): Promise<Judged> {
  const judge = expected.credential.format === 'mdoc' ? judgeMdoc : judgeSdJwt
  return judge(platform, presentation, expected)
}
