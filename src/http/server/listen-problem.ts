/** Describes why the server cannot listen and names the setting. Returns unknown errors unchanged. */
export function describeListenError(error: unknown, { host, port }: { readonly host: string; readonly port: number }) {
  if (!(error instanceof Error) || !('code' in error)) return error
  const text = problems[String(error.code)]?.(host, port)
  return text === undefined ? error : new Error(text, { cause: error })
}

const problems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} of ${host} is in use: set PORT to another port, or stop the process that listens there`,
  EACCES: (_, port) => `this user may not listen at port ${port}: set PORT above 1023 and use a proxy in front`,
  EADDRNOTAVAIL: (host) =>
    `${host} is not an address of this machine: set HOST to one of its addresses, or to 0.0.0.0 for all`,
  ENOTFOUND: (host) => `${host} cannot be resolved: set HOST to an address of this machine, or to 0.0.0.0 for all`,
}
