/** What a file is, by the ending of its name: all that the stand-ins need to know of files. */
const TYPES: Readonly<Record<string, { readonly mimetype: string; readonly filetype: string }>> = {
  png: { mimetype: 'image/png', filetype: 'png' },
  jpg: { mimetype: 'image/jpeg', filetype: 'jpg' },
  jpeg: { mimetype: 'image/jpeg', filetype: 'jpg' },
  gif: { mimetype: 'image/gif', filetype: 'gif' },
  csv: { mimetype: 'text/csv', filetype: 'csv' },
  txt: { mimetype: 'text/plain', filetype: 'text' },
  json: { mimetype: 'application/json', filetype: 'json' },
};

export function typeOfFile(name: string): { readonly mimetype: string; readonly filetype: string } {
  const ending = name.split('.').at(-1)?.toLowerCase() ?? '';
  return TYPES[ending] ?? { mimetype: 'application/octet-stream', filetype: 'binary' };
}
