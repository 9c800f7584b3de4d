// Adds passkeys, and signs in with them. data-passkey of the form is the URL of the
// WebAuthn options; the browser's response goes into the form, which is then sent.
// Without support for passkeys, the form stays hidden.
import { all, find, on } from "./dom.js";

const bytes = text => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// asked decodes the binary fields of the options from base64url.
function asked(options) {
  options.challenge = bytes(options.challenge);
  if (options.user) options.user.id = bytes(options.user.id);
  for (const list of ["excludeCredentials", "allowCredentials"]) {
    options[list] = (options[list] ?? []).map(c => ({ ...c, id: bytes(c.id) }));
  }
  return options;
}

// answer returns the browser's response as JSON.
function answer(credential) {
  const said = credential.response, response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (said[name]) response[name] = text(said[name]);
  }
  if (said.getTransports) response.transports = said.getTransports();
  return JSON.stringify({ id: credential.id, rawId: text(credential.rawId), type: credential.type, response,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined, clientExtensionResults: credential.getClientExtensionResults() });
}

async function use(form) {
  const say = find("[data-passkey-said]", form), button = find("button", form);
  say.textContent = "";
  button.setAttribute("aria-disabled", "true");
  try {
    const got = await fetch(form.dataset.passkey, { method: "POST", headers: { Accept: "application/json" } });
    if (!got.ok) throw new Error(got.status);
    const publicKey = asked(await got.json());
    const credential = await ("new" in form.dataset ? navigator.credentials.create({ publicKey }) : navigator.credentials.get({ publicKey }));
    form.elements.credential.value = answer(credential);
    form.submit();
  } catch (e) {
    button.removeAttribute("aria-disabled");
    say.textContent = e.name === "InvalidStateError" ? "You already have a passkey on this device."
      : e.name === "NotAllowedError" ? "That wasn’t finished. Try again."
      : "That didn’t work. Try again, or sign in another way.";
  }
}

on("submit", e => {
  if (!e.target.matches("form[data-passkey]")) return;
  e.preventDefault();
  if (find("button", e.target).getAttribute("aria-disabled") !== "true") use(e.target);
});
if (window.PublicKeyCredential && isSecureContext) {
  for (const form of all("form[data-passkey]")) form.hidden = false;
  for (const none of all("[data-passkey-none]")) none.hidden = true;
}
