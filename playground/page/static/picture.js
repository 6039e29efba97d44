// Turns a message into a picture: it's drawn once more as the content of an SVG, with its styles, letters and pictures inside, and the
// SVG is painted onto a canvas. Nothing leaves the page.

/** Lines of a wider picture would be too long. A window of a phone's width gives the layout of a phone. */
const MAX_WIDTH = 780;
const PHONE = '(max-width: 720px)';

export class CannotDraw extends Error {}

/** The message as a PNG: `theme` is `light` or `dark`, and `scale` how many pixels each one of the page gets. */
export async function pictureOf(message, { theme, scale = 2 }) {
  const width = matchMedia(PHONE).matches ? innerWidth : MAX_WIDTH;
  const sheet = document.createElement('div');
  sheet.className = 'sheet';
  sheet.append(message.cloneNode(true));
  const pictures = [...sheet.querySelectorAll('img')];
  for (const picture of pictures) picture.loading = 'eager';
  const height = heightOf(sheet, width);
  const style = document.createElement('style');
  const [css] = await Promise.all([
    styleFor(theme),
    ...pictures.map(async (picture) => {
      picture.src = await fetchedAsData(picture.src);
    }),
  ]);
  style.textContent = css;
  sheet.prepend(style);
  return { width, height, blob: await paint(svgOf(sheet, width, height), width * scale, height * scale) };
}

/** As high as the page would lay it out at that width. */
function heightOf(sheet, width) {
  const room = document.createElement('div');
  room.className = 'darkroom';
  room.style.width = `${width}px`;
  room.append(sheet);
  document.body.append(room);
  const { height } = sheet.getBoundingClientRect();
  room.remove();
  return Math.ceil(height);
}

function svgOf(sheet, width, height) {
  const content = new XMLSerializer().serializeToString(sheet);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${content}</foreignObject></svg>`;
}

async function paint(svg, width, height) {
  const image = new Image();
  // A data URL: browsers don't let a canvas be read that was painted from a blob with HTML in it.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  try {
    await image.decode();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    canvas.getContext('2d').drawImage(image, 0, 0, width, height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob) return blob;
  } catch {}
  throw new CannotDraw('This browser can’t draw a message as a picture. Chrome, Edge and Firefox can.');
}

let sheets;
/** The page's rules as text, with fonts inside; of those for one color scheme, the theme's. */
async function styleFor(theme) {
  sheets ??= Promise.all([...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).map(withData));
  const rules = (await sheets).filter(({ scheme }) => scheme === null || scheme === theme).map(({ text }) => text);
  return [...rules, `:root { color-scheme: ${theme}; }`].join('\n');
}

async function withData(rule) {
  const scheme = /prefers-color-scheme: (light|dark)/.exec(rule.conditionText ?? '')?.[1] ?? null;
  if (scheme) return { scheme, text: [...rule.cssRules].map(({ cssText }) => cssText).join('\n') };
  let text = rule.cssText;
  for (const [whole, url] of text.matchAll(/url\("([^"]+)"\)/g))
    text = text.replace(whole, `url("${await fetchedAsData(url)}")`);
  return { scheme, text };
}

const fetchedAsData = async (url) => dataUrl(await (await fetch(url)).blob());

export function dataUrl(blob) {
  const reader = new FileReader();
  const read = new Promise((resolve, reject) =>
    Object.assign(reader, { onload: () => resolve(reader.result), onerror: reject }),
  );
  reader.readAsDataURL(blob);
  return read;
}
