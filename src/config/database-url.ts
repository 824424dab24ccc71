/** The servers of DATABASE_URL. `mustWrite`: a connection is used only if its server accepts writes. */
type DatabaseHosts = { readonly urls: readonly string[]; readonly mustWrite: boolean }

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/s
const SESSIONS = ['any', 'read-write', 'primary']

/**
 * Splits `postgresql://user@host1:port,host2:port/database` into a URL for each host, in this order. With several
 * hosts, or with `target_session_attrs=read-write`, only a server that accepts writes is used.
 *
 * @throws RangeError for a value that is not such a URL
 * @see [PostgreSQL, 34.1.1.3 Specifying multiple hosts](https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS)
 */
export function readDatabaseUrl(url: string): DatabaseHosts {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? []
  const urls = hosts.split(',').map((host) => `${before}${host}${after}`)
  if (before === '' || (urls.length > 1 && hosts.split(',').includes('')) || !urls.every((one) => URL.canParse(one)))
    throw new RangeError()
  const session = new URL(urls[0] ?? '').searchParams.get('target_session_attrs')
  if (session !== null && !SESSIONS.includes(session)) throw new RangeError()
  return { urls, mustWrite: urls.length > 1 || (session ?? 'any') !== 'any' }
}
