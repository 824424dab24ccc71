import { endpoint } from '../../http/routes/endpoint.ts'
import { publishWalletProvider } from './wallet-provider.ts'

const providerDocument = endpoint({
  method: 'GET',
  path: '/.well-known/did.json',
  summary:
    'Returns the DID document of the wallet provider: the keys behind the attestations of wallets and their keys.',
  tag: 'Trust',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform }) => ({
    status: 200,
    type: 'application/did+json',
    body: Buffer.from(JSON.stringify(await publishWalletProvider(platform))),
    headers: { 'cache-control': 'public, max-age=60' },
  }),
})

/** The keys of the wallet provider. */
export const walletProviderEndpoints = [providerDocument]
