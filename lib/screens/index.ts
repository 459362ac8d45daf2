// The menu route, the display name, and the check of all screens that functions of the host return.
export * from './main-menu.ts'
export { makeScreen, screenText } from './screen.ts'
export { addScreenHook } from './screen-hook.ts'
