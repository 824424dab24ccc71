import { type AnchorSet, anchorSetOf } from '../anchor.ts'
import { type CertInput, leafExtensions, type Made, type Openssl, rootExtensions } from './openssl.ts'

/** A time at which certificates with default options are valid. */
export const june = new Date('2026-06-01T00:00:00.000Z')

/** A root, an intermediate and a leaf, and functions that create more. */
type Pki = {
  readonly root: Made
  readonly middle: Made
  readonly leaf: Made
  /** By default a leaf under the root. */
  readonly make: (options?: Partial<{ [K in keyof CertInput]: CertInput[K] | undefined }>) => Made
  /** Trusts these for issuing, each owned by its name. */
  readonly trusted: (...roots: readonly Made[]) => AnchorSet
}

/** Creates a small public key infrastructure. */
export function pki(tool: Openssl): Pki {
  const root = tool.make({ subject: '/C=ZA/CN=Root', extensions: rootExtensions })
  const make: Pki['make'] = (options = {}) => {
    const { issuer, ...rest } = { subject: '/C=ZA/CN=Leaf', extensions: leafExtensions, issuer: root, ...options }
    const defined = Object.entries(rest).filter(([, value]) => value !== undefined)
    return tool.make({
      ...(Object.fromEntries(defined) as Omit<CertInput, 'issuer'>),
      ...(issuer !== undefined && { issuer }),
    })
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
