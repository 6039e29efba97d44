/** The gallery's one page: each chart on the grounds of light and dark Slack, full size and as a phone shows it. */

/** A chart that was drawn, and what its other forms say. */
export interface Shown {
  readonly name: string;
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly alt: string;
  readonly native: string;
}

export function page(shown: readonly Shown[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>wafbot charts</title>
<style>
  body { font: 15px/1.4 system-ui, sans-serif; margin: 24px; background: #ddd; color: #1d1c1d }
  h2 { margin: 32px 0 8px }
  .row { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start }
  .ground { padding: 16px; border-radius: 8px }
  .light { background: #fff }
  .dark { background: #1a1d21 }
  img { display: block; border-radius: 8px; height: auto }
  p, pre { max-width: 1300px; white-space: pre-wrap; margin: 6px 0 }
  pre { font-size: 12px; color: #555 }
</style>
<h1>wafbot charts</h1>
${shown.map(figure).join('\n')}
</html>
`;
}

function figure(picture: Shown): string {
  const alt = escaped(picture.alt);
  const image = (width: number) => `<img src="${picture.file}" width="${width}" alt="${alt}">`;
  const grounds = ['light', 'dark'].map(
    (ground) => `<div class="ground ${ground}">${image(picture.width / 2)}</div>
<div class="ground ${ground}">${image(360)}</div>`,
  );
  return `<h2>${escaped(picture.name)}</h2>
<div class="row">${grounds.join('\n')}</div>
<p>${alt}</p>
<pre>${picture.width} × ${picture.height}, ${Math.round(picture.bytes / 1024)} KB\n${escaped(picture.native)}</pre>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
