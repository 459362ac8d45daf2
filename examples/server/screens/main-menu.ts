import type { MainMenu } from 'fastify-screen-auth'
import type { MenuItem, MenuScreen, MenuTab } from 'fastify-screen-auth/screens'
import { lists } from '../lists.ts'
import { pathsOf } from '../records/screens.ts'
import { texts } from '../texts.ts'

/** Main menu: tabs with items, each with an action. In the no-auth mode there is no account. */
export const mainMenu: MainMenu = user => {
  const { mainMenu, profile, password, users } = texts
  const listTabs = lists.map((list): MenuTab => {
    const [{ title, new: add }, paths] = [list.texts, pathsOf(list)]
    return { label: title, items: [openScreen(title, paths.list), openScreen(add, paths.new)] }
  })
  const accountTab: MenuTab = {
    label: mainMenu.account,
    items: [openScreen(profile.title, '/screen/profile'), openScreen(password.title, '/screen/password')]
  }
  const directoryTab: MenuTab = {
    label: mainMenu.directory,
    items: [
      openScreen(users.title, '/screen/users'),
      { label: '', action: { type: 'separator' } },
      { label: mainMenu.about, action: { type: 'message', text: mainMenu.aboutText } }
    ]
  }
  return {
    layout: 'Menu',
    title: mainMenu.title,
    ...texts.client,
    menu: {
      panel_title: mainMenu.panel,
      tabs: user === null ? [...listTabs, directoryTab] : [...listTabs, accountTab, directoryTab]
    }
  } satisfies MenuScreen
}

function openScreen(label: string, url: string): MenuItem {
  return { label, action: { type: 'open_screen', url } }
}
