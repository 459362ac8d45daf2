/** The client's own text for a key: as the server wants it (`ui_strings`), or else in English. */
export type Say = (key: string, english: string) => string
