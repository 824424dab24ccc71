import { type AnchorSet, anchorSetOf } from '../anchor.ts'
import { leafExtensions, type Made, type Openssl, rootExtensions, type Wish } from './openssl.ts'

/** A time at which everything that is not told otherwise is valid. */
export const june = new Date('2026-06-01T00:00:00.000Z')

/** A root, an intermediate and a leaf, and what makes more of them. */
type Pki = {
  readonly root: Made
  readonly middle: Made
  readonly leaf: Made
  /** A leaf under the root unless told. */
  readonly make: (wish?: Partial<{ [K in keyof Wish]: Wish[K] | undefined }>) => Made
  /** Trusts these for issuing, each owned by its name. */
  readonly trusted: (...roots: readonly Made[]) => AnchorSet
}

/** Makes a small authority. */
export function pki(tool: Openssl): Pki {
  const root = tool.make({ subject: '/C=ZA/CN=Root', extensions: rootExtensions })
  const make: Pki['make'] = (wish = {}) => {
    const { issuer, ...rest } = { subject: '/C=ZA/CN=Leaf', extensions: leafExtensions, issuer: root, ...wish }
    // what was told as undefined is not told
    const told = Object.entries(rest).filter(([, value]) => value !== undefined)
    return tool.make({ ...(Object.fromEntries(told) as Omit<Wish, 'issuer'>), ...(issuer !== undefined && { issuer }) })
  }
  return {
    root,
    middle: make({ subject: '/C=ZA/CN=Middle', extensions: rootExtensions }),
    leaf: make(),
    make,
    trusted: (...roots) =>
      anchorSetOf(
        roots.map(({ certificate }) => ({ certificate, purposes: ['issuer'], owner: certificate.subject.text })),
      ),
  }
}
