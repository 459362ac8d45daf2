import type { MainMenu } from 'fastify-screen-auth'
import type { MenuItem, MenuScreen, MenuTab } from 'fastify-screen-auth/screens'

/** The main menu: tabs of items, each with an action. */
export const mainMenu: MainMenu = (user, request) => {
  const texts = request.texts
  const contactsTab = {
    label: texts.mainMenu.contacts,
    items: [
      openScreen(texts.contact.title, '/screen/contacts'),
      openScreen(texts.contact.add, '/screen/contacts/new')
    ]
  } satisfies MenuTab
  const accountTab = {
    label: texts.mainMenu.account,
    items: [
      openScreen(texts.profile.title, '/screen/profile'),
      openScreen(texts.password.title, '/screen/password')
    ]
  } satisfies MenuTab
  const directoryTab = {
    label: texts.mainMenu.directory,
    items: [
      openScreen(texts.users.title, '/screen/users'),
      { label: '', action: { type: 'separator' } },
      { label: texts.mainMenu.about, action: { type: 'message', text: texts.mainMenu.aboutText } }
    ]
  } satisfies MenuTab
  return {
    layout: 'Menu',
    title: texts.mainMenu.title,
    ...texts.language,
    menu: {
      panel_title: texts.mainMenu.panel,
      // Without a login there is no account.
      tabs: user === null ? [contactsTab, directoryTab] : [contactsTab, accountTab, directoryTab]
    }
  } satisfies MenuScreen
}

function openScreen(label: string, url: string): MenuItem {
  return { label, action: { type: 'open_screen', url } }
}
