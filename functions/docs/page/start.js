/* global SwaggerUIBundle, document, window */
// The page lies beside the document, whatever the base of the API is.
window.ui = SwaggerUIBundle({
  url: new URL('openapi.json', document.baseURI).href,
  domNode: document.getElementById('api'),
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  filter: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'example',
  displayRequestDuration: true,
  validatorUrl: null,
});
