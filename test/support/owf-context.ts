import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify, X509Certificate } from 'node:crypto'
import { CoseKey, type MdocContext } from '@owf/mdoc'

const dsaEncoding = 'ieee-p1363'

function unused(): never {
  throw new Error('no MAC is made or verified')
}

/** What `@owf/mdoc` wants from its surroundings, on node:crypto and without our code. */
export const owfContext: MdocContext = {
  crypto: {
    random: (length) => randomBytes(length),
    digest: ({ digestAlgorithm, bytes }) =>
      createHash(digestAlgorithm.replace('-', '').toLowerCase()).update(bytes).digest(),
    calculateEphemeralMacKey: unused,
  },
  cose: {
    sign1: {
      sign: ({ key, toBeSigned }) => {
        const privateKey = createPrivateKey({ key: key.jwk, format: 'jwk' })
        return sign('sha256', toBeSigned, { key: privateKey, dsaEncoding })
      },
      verify: ({ key, sign1 }) => {
        const publicKey = createPublicKey({ key: key.jwk, format: 'jwk' })
        return verify('sha256', sign1.toBeSigned, { key: publicKey, dsaEncoding }, sign1.signature)
      },
    },
    mac0: { sign: unused, verify: unused },
  },
  x509: {
    getIssuerNameField: ({ certificate, field }) =>
      new X509Certificate(certificate).issuer
        .split('\n')
        .filter((line) => line.startsWith(`${field}=`))
        .map((line) => line.slice(field.length + 1)),
    getPublicKey: ({ certificate }) =>
      CoseKey.fromJwk({ ...new X509Certificate(certificate).publicKey.export({ format: 'jwk' }) }),
    verifyCertificateChain: ({ trustedCertificates: [root], x5chain: [leaf] }) => {
      if (root === undefined || leaf === undefined) throw new Error('no chain')
      if (!new X509Certificate(leaf).verify(new X509Certificate(root).publicKey)) throw new Error('a foreign leaf')
    },
    getCertificateData: ({ certificate }) => {
      const read = new X509Certificate(certificate)
      return {
        issuerName: read.issuer,
        subjectName: read.subject,
        serialNumber: read.serialNumber,
        thumbprint: read.fingerprint256,
        pem: read.toString(),
        notBefore: read.validFromDate,
        notAfter: read.validToDate,
      }
    },
  },
}
