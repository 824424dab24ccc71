import type { Platform } from '../../platform.ts'
import { checkMdocPresentation } from './check-mdoc-presentation.ts'
import { checkSdJwtPresentation } from './check-sd-jwt-presentation.ts'
import type { CheckedCredential, ExpectedPresentation } from './checked-credential.ts'

/**
 * Checks one presentation by itself, as the format that was asked for (3.9 step 5) and no other.
 *
 * Issuer documents, revocation lists and status lists are fetched, bounded and cached. Whether it answers the query is NOT checked here.
 */
export function checkPresentation(
  platform: Pick<Platform, 'fetch' | 'config' | 'memory'>,
  presentation: string,
  expected: ExpectedPresentation,
): Promise<CheckedCredential> {
  const judge = expected.credential.format === 'mdoc' ? checkMdocPresentation : checkSdJwtPresentation
  return judge(platform, presentation, expected)
}
