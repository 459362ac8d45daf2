export const words = (text: string) => text.trim().split(/\s+/)

/** Returns an object in which each name has the same value. */
export const withNames = (names: string, value: string) => Object.fromEntries(words(names).map(name => [name, value]))

/** Returns `name=value` for each name. */
export const pairs = (names: string, value: string, separator: '&' | '; ') =>
  words(names)
    .map(name => `${name}=${value}`)
    .join(separator)

export const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Percent-encodes a text. Replaces lone surrogates by U+FFFD, because encodeURIComponent throws on them. */
export const encode = (text: string) => encodeURIComponent(text.toWellFormed())
