// The menu route, the display name, and the check of every screen that a function of the host makes.
export { addDisplayNames } from './display-name.ts'
export {
  checkScreenOptions,
  type MainMenu,
  mainMenuText,
  menuRoute,
  type ScreenOptions
} from './main-menu.ts'
export { makeScreen, screenText } from './screen.ts'
