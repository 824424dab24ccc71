import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import { allLanguages, type Language } from '../../contract/languages.ts'
import { readOwnJson } from '../../crypto/json.ts'

/** A value that a sentence shows, or chooses its words by. */
type Given = string | number | null

/** Names of the values of each sentence, in the order in which the code gives them; a table of them for a table. */
type SentencesOf<T> = { readonly [K in keyof T]?: T[K] extends string ? readonly string[] : SentencesOf<T[K]> }

/** A function that makes a sentence of values. */
type Sentence<Names extends readonly string[]> = (...given: { [I in keyof Names]: Given }) => string

/** A table of texts: a sentence is a function, a list is a title and what is said below it, all else is text. */
type Texts<T, S> = {
  readonly [K in keyof T]: K extends keyof S
    ? S[K] extends readonly string[]
      ? Sentence<S[K]>
      : Texts<T[K], S[K]>
    : T[K] extends string
      ? string
      : T[K] extends readonly string[]
        ? readonly [title: string, advice: string]
        : Texts<T[K], object>
}

/** The texts of one language. `T` is a catalogue of all languages. */
export type TextsIn<T extends Readonly<Record<Language, unknown>>> = T['en']

/** A string, an array of two or a table, as a file has it. */
type Entry = string | readonly string[] | { readonly [name: string]: Entry }

/**
 * Returns the texts of a file by language: `en/{path}.json` and the file of the same path in the folder of each other
 * language, with the same names. A sentence with values is a message of ICU MessageFormat; every other text is shown as
 * it is.
 *
 * @param path Of the file in the folder of a language, without `.json`.
 * @param en The English file, which types the names.
 * @param sentences Names of the values of the sentences that have any.
 * @throws Error at the first use of a language whose file is missing.
 */
export function catalogue<const T extends { readonly [name: string]: Entry }, const S extends SentencesOf<T> = object>(
  path: string,
  en: T,
  sentences?: S,
): Readonly<Record<Language, Texts<T, S>>> {
  const read = (language: Language): Entry => {
    if (language === 'en') return en
    // A file of this repository, of the shape of the English one: messages.test.ts.
    return readOwnJson(readFileSync(new URL(`${language}/${path}.json`, import.meta.url), 'utf8')) as Entry
  }
  return byLanguage((language) => textsOf(read(language), sentences, language) as Texts<T, S>)
}

/** Returns what is made for each language, once, when it is first needed: most processes speak one or two. */
export function byLanguage<T>(make: (language: Language) => T): Readonly<Record<Language, T>> {
  const made = new Map<Language, T>()
  const kept = (language: Language): T => {
    const known = made.get(language) ?? make(language)
    made.set(language, known)
    return known
  }
  const getters = allLanguages.map((language) => [language, { enumerable: true, get: () => kept(language) }] as const)
  return Object.defineProperties({}, Object.fromEntries(getters)) as Readonly<Record<Language, T>>
}

function textsOf(entry: Entry | undefined, sentences: unknown, language: string): unknown {
  if (typeof entry === 'string') {
    const text = language === 'fr' ? withFirmSpaces(entry) : entry
    return Array.isArray(sentences) ? sentence(text, sentences, language) : text
  }
  if (Array.isArray(entry)) return entry.map((one) => textsOf(one, undefined, language))
  const inside = (sentences ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(entry ?? {}).map(([name, one]) => [name, textsOf(one, inside[name], language)]),
  )
}

/** Parsed at its first use: most sentences are not shown in most hours. */
function sentence(text: string, names: readonly string[], language: string): Sentence<readonly string[]> {
  let message: IntlMessageFormat | undefined
  return (...given) => {
    message ??= new IntlMessageFormat(text, language, undefined, { ignoreTag: true })
    return message.format<string>(Object.fromEntries(names.map((name, at) => [name, given[at]]))) as string
  }
}

/** French has a space, at which no line ends, before double punctuation and inside guillemets. */
function withFirmSpaces(text: string): string {
  return text.replaceAll(/ (?=[:;?!»])|(?<=«) /g, '\u00a0')
}
