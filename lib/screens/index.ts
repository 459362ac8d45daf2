// The menu route, the display name, and the check of every screen that a function of the host makes.
export { addDisplayNames } from './display-name.ts'
export { mainMenuText, menuRoute } from './main-menu.ts'
export { checkScreenOptions, type MainMenu, type ScreenOptions, screenOptionNames } from './options.ts'
export { makeScreen, screenText } from './screen.ts'
