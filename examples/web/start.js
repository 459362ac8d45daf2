// Part of the page itself and no module, because it must also run in a browser that is too old for the modules.

/** Replaces the frame with a sentence. @param {string} text */
const say = text => {
  const attributes = { className: 'card', textContent: text }
  document.getElementById('page')?.replaceChildren(Object.assign(document.createElement('p'), attributes))
}
const app = document.querySelector('link[rel=modulepreload]')
if ('parse' in URL && 'groupBy' in Map && CSS.supports('color', 'oklch(from red l c h)')) {
  import(/** @type {HTMLLinkElement} */ (app).href).catch(() => say('The page did not load. Reload it.'))
} else say('This browser is too old. The page needs Chrome 126, Firefox 128 or Safari 18, or later.')
