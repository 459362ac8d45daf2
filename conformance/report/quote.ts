/** A stand-in until the merge: the text in one line, with what a terminal or a CI system would act on escaped. */
export const inert = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, one => `\\u{${one.codePointAt(0)?.toString(16)}}`).replaceAll('##[', '#\\#[')
