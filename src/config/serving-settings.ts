import { setting } from './setting.ts'
import { flag, httpUrl, integer, oneOf, origin, text } from './setting-types.ts'

/** What a server is, where it listens and how it is reached. */
export const servingSettings = {
  nodeEnv: setting(
    'NODE_ENV',
    oneOf('development', 'production'),
    'development',
    'In production the server refuses to start without MASTER_KEY, DATABASE_URL and an https PUBLIC_URL, and calls https addresses only.',
  ),
  host: setting('HOST', text(), '127.0.0.1', 'Address to listen on. 0.0.0.0 or :: behind a proxy on another host.'),
  port: setting('PORT', integer(1, 65_535), 8080, 'Port to listen on.'),
  publicUrl: setting(
    'PUBLIC_URL',
    origin(),
    null,
    'Origin under which wallets and verifiers reach this server, without a path. Default: http://localhost:PORT.',
  ),
  walletBaseUrl: setting(
    'WALLET_BASE_URL',
    httpUrl(),
    null,
    'Public address of the wallet group. Default: PUBLIC_URL/wallet.',
  ),
  credsBaseUrl: setting(
    'CREDS_BASE_URL',
    httpUrl(),
    null,
    'Public address of the issuance and trust group. Default: PUBLIC_URL/creds.',
  ),
  onboardingBaseUrl: setting(
    'ONBOARDING_BASE_URL',
    httpUrl(),
    null,
    'Public address of the user lookup group. Default: PUBLIC_URL/onboarding.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    flag(),
    false,
    'Whether the caller address is the last one in X-Forwarded-For. Only behind a proxy that adds it.',
  ),
  bootstrapFile: setting(
    'BOOTSTRAP_FILE',
    text(),
    null,
    'JSON file of tenants, clients and users, applied at a start where it is not the one applied last.',
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    integer(0, 120),
    5,
    'How long a stopping server still accepts requests, while /readyz responds 503 and each response closes its connection. Longer than a load balancer needs to detect it.',
  ),
  stopTimeoutSeconds: setting(
    'STOP_TIMEOUT_SECONDS',
    integer(1, 300),
    25,
    'How long a stopping server waits for accepted requests before it closes their connections.',
  ),
} as const
