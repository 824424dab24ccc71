import type { Platform } from '../../platform.ts'
import { checkMdocPresentation } from './check-mdoc-presentation.ts'
import { checkSdJwtPresentation } from './check-sd-jwt-presentation.ts'
import type { CheckedCredential, ExpectedPresentation } from './checked-credential.ts'

/**
 * Checks one presentation on its own, in the requested format only (3.9 step 5).
 *
 * Issuer documents, revocation lists and status lists are fetched, bounded and cached. NOT checked: whether it matches the query.
 */
export function checkPresentation(
  platform: Pick<Platform, 'fetch' | 'config' | 'memory'>,
  presentation: string,
  expected: ExpectedPresentation,
): Promise<CheckedCredential> {
  const check = expected.credential.format === 'mdoc' ? checkMdocPresentation : checkSdJwtPresentation
  return check(platform, presentation, expected)
}
