export const words = (text: string) => text.trim().split(/\s+/)

export const withNames = (names: string, value: string) => Object.fromEntries(words(names).map(name => [name, value]))

export const pairs = (names: string, value: string, separator: '&' | '; ') =>
  words(names)
    .map(name => `${name}=${value}`)
    .join(separator)

export const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Percent-encodes a text. Replaces lone surrogates by U+FFFD, because encodeURIComponent throws on them. */
export const encode = (text: string) => encodeURIComponent(text.toWellFormed())
