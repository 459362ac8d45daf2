// No module, because it must also run in a browser that is too old for the modules of the page.
if ('parse' in URL && 'groupBy' in Map && CSS.supports('color', 'oklch(from red l c h)')) {
  import('./app.js')
} else {
  Object.assign(/** @type {Element} */ (document.querySelector('.late')), {
    className: 'card',
    textContent: 'This browser is too old. The page needs Chrome 126, Firefox 128 or Safari 18, or later.'
  })
}
