// The menu route, the display name, and the check of all screens that functions of the host return.
export { addDisplayNames } from './display-name.ts'
export * from './main-menu.ts'
export { useNullable } from './response-schema.ts'
export { makeScreen, screenText } from './screen.ts'
