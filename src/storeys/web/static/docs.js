// The description of the API, shown by Swagger UI, which the page has loaded from our own server.

/** @type {any} */
const SwaggerUI = Reflect.get(globalThis, "SwaggerUIBundle");

SwaggerUI({
  dom_id: "#swagger",
  url: "/openapi.json",
  presets: [SwaggerUI.presets.apis],
  tryItOutEnabled: true,
  validatorUrl: null, // nothing is asked for elsewhere
});
