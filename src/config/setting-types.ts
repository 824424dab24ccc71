import { Buffer } from 'node:buffer'
import { isForeignAddress } from '../mail-address.ts'
import { readDatabaseUrl } from './database-url.ts'
import { type HostList, readHostList, readNoProxy } from './host-list.ts'

/** Reads the text of a variable. Throws if it is not of the type. */
export type Read<T> = (text: string) => T

/** Any text. */
export function text(): [string, Read<string>] {
  return ['a text', (value) => value]
}

/** A secret of a header. */
export function secret(): [string, Read<string>] {
  return [
    'a secret of 16 to 1024 letters, digits and -._~+/, with = at its end only',
    (value) => {
      if (!/^(?=.{16,1024}$)[A-Za-z0-9\-._~+/]+=*$/.test(value)) throw new RangeError()
      return value
    },
  ]
}

/** A whole number. */
export function integer(min: number, max: number): [string, Read<number>] {
  return [
    `a whole number from ${min} to ${max}`,
    (value) => {
      const number = Number(value)
      if (!/^\d+$/.test(value) || number < min || number > max) throw new RangeError()
      return number
    },
  ]
}

/** One of a few words. */
export function oneOf<T extends string>(...choices: T[]): [string, Read<T>] {
  return [
    `one of ${choices.join(', ')}`,
    (value) => {
      const found = choices.find((choice) => choice === value)
      if (found === undefined) throw new RangeError()
      return found
    },
  ]
}

/** true or false. */
export function flag(): [string, Read<boolean>] {
  const [form, read] = oneOf('true', 'false')
  return [form, (value) => read(value) === 'true']
}

/** Bytes in base64. */
export function bytes(count: number): [string, Read<Buffer>] {
  return [
    `${count} bytes in base64`,
    (value) => {
      const decoded = Buffer.from(value, 'base64')
      // All zeros are what an unset variable becomes in a script.
      if (decoded.length !== count || decoded.every((byte) => byte === 0)) throw new RangeError()
      return decoded
    },
  ]
}

/** A URL to append paths to. */
export function httpUrl(): [string, Read<string>] {
  return [
    'an http or https URL without query, fragment and trailing slash',
    (value) => {
      const url = new URL(value)
      if (!/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '')
        throw new RangeError()
      return value.replace(/\/$/, '')
    },
  ]
}

/** An origin. */
export function origin(): [string, Read<string>] {
  return [
    'an http or https origin (scheme, host, port) without a path',
    (value) => {
      const url = new URL(value)
      if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || value.replace(/\/$/, '') !== url.origin)
        throw new RangeError()
      return url.origin
    },
  ]
}

/** Hosts by name, address or network. */
export function hostList(): [string, Read<HostList>] {
  return ['names, `*.` and a name, IP addresses, and networks as address/bits, separated by commas', readHostList]
}

/** Hosts that are called without a proxy. */
export function noProxy(): [string, Read<(url: URL) => boolean>] {
  return ['`*`, or names, IP addresses and networks, each with a port or without, separated by commas', readNoProxy]
}

/** The URL of a proxy. */
export function proxyUrl(): [string, Read<string>] {
  return [
    'an http or https URL without path, with a user name and password or without; without a scheme it is http',
    (value) => {
      const url = new URL(/^[a-z]+:\/\//i.test(value) ? value : `http://${value}`)
      if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.hash !== '')
        throw new RangeError()
      return url.href
    },
  ]
}

/** The URL of a mail server. */
export function smtpUrl(): [string, Read<string>] {
  return [
    'an smtp:// or smtps:// URL',
    (value) => {
      const url = new URL(value)
      if (!/^smtps?:$/.test(url.protocol) || url.hostname === '') throw new RangeError()
      return value
    },
  ]
}

/** An address that mails are sent from, also at a host without a dot. */
export function mailAddress(): [string, Read<string>] {
  return [
    'an e-mail address',
    (value) => {
      if (!isForeignAddress(value) || /[<>,;"]/.test(value)) throw new RangeError()
      return value
    },
  ]
}

/** A private key on P-256. */
export function vapidKey(): [string, Read<Buffer>] {
  return [
    'a private P-256 key of 32 bytes in base64url',
    (value) => {
      const key = Buffer.from(value, 'base64url')
      if (!/^[A-Za-z0-9_-]{43}$/.test(value) || key.every((byte) => byte === 0)) throw new RangeError()
      return key
    },
  ]
}

/** How a push service reaches the operator. */
export function contactUri(): [string, Read<string>] {
  return [
    'a mailto: or https: URI',
    (value) => {
      if (!/^(mailto|https):$/.test(new URL(value).protocol) || value.length > 300) throw new RangeError()
      return value
    },
  ]
}

/** The URL of a PostgreSQL database. */
export function databaseUrl(): [string, Read<string>] {
  return [
    'a postgresql:// URL',
    (value) => {
      readDatabaseUrl(value)
      return value
    },
  ]
}
