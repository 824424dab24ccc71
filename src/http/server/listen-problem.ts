/** Says why the server cannot listen in words that name the setting. What is not foreseen stays as it is. */
export function describeListenError(error: unknown, { host, port }: { readonly host: string; readonly port: number }) {
  if (!(error instanceof Error) || !('code' in error)) return error
  const text = problems[String(error.code)]?.(host, port)
  return text === undefined ? error : new Error(text, { cause: error })
}

const problems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} of ${host} is in use: set PORT to another one, or stop the process that listens there`,
  EACCES: (_, port) =>
    `this user may not listen at port ${port}: set PORT to one above 1023 and put a proxy in front of it`,
  EADDRNOTAVAIL: (host) =>
    `${host} is no address of this machine: set HOST to one that is, or to 0.0.0.0 for all of them`,
  ENOTFOUND: (host) => `${host} cannot be resolved: set HOST to an address of this machine, or to 0.0.0.0 for all`,
}
