import { endpoint } from '../../http/routes/endpoint.ts'
import { publishProviderRoot } from './wallet-provider.ts'

const providerRoot = endpoint({
  method: 'GET',
  path: '/wallet-provider/roots.pem',
  operationId: 'getWalletProviderRoots',
  replies: { 200: { types: { 'application/x-pem-file': null } } },
  summary:
    'Returns the root certificate of the wallet provider in PEM, to be trusted by issuers as attester of wallets and their keys.',
  tag: 'Trust',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform }) => ({
    status: 200,
    type: 'application/x-pem-file',
    body: await publishProviderRoot(platform),
    headers: { 'cache-control': 'public, max-age=60' },
  }),
})

/** The root certificate of the wallet provider. */
export const walletProviderEndpoints = [providerRoot]
