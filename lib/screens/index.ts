// The menu route, the display name, and the check of all screens that functions of the host return.
export { addDisplayNames } from './display-name.ts'
export {
  checkScreenOptions,
  type MainMenu,
  mainMenuText,
  menuRoute,
  type ScreenOptions
} from './main-menu.ts'
export { makeScreen, screenText } from './screen.ts'
