import type { MainMenu } from 'fastify-screen-auth'
import type { MenuItem, MenuScreen, MenuTab } from 'fastify-screen-auth/screens'
import { texts } from '../texts.ts'

/** Main menu: tabs with items, each with an action. In the no-auth mode there is no account. */
export const mainMenu: MainMenu = user => {
  const { mainMenu, contact, profile, password, users } = texts
  const contactsTab: MenuTab = {
    label: mainMenu.contacts,
    items: [openScreen(contact.title, '/screen/contacts'), openScreen(contact.add, '/screen/contacts/new')]
  }
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
      tabs: user === null ? [contactsTab, directoryTab] : [contactsTab, accountTab, directoryTab]
    }
  } satisfies MenuScreen
}

function openScreen(label: string, url: string): MenuItem {
  return { label, action: { type: 'open_screen', url } }
}
