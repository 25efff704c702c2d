import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';

/** Where the build puts the page: beside the command. */
export const builtPage = fileURLToPath(new URL('./page', import.meta.url));

/** Serves the page's files. A path without a file extension is a view of the page. */
export function page(root: string): Hono {
  const app = new Hono();
  const files = serveStatic({
    root,
    rewriteRequestPath: (path) => (extname(path) ? path : '/index.html'),
    onFound: (path, c) => {
      // Vite puts a hash into the names of everything it builds, all of it in assets/.
      const hashed = c.req.path.startsWith('/assets/') && 'public, max-age=31536000, immutable';
      c.header('cache-control', hashed || (path.endsWith('.html') ? 'no-store' : 'no-cache'));
    },
  });
  app.get('*', (c, next) => (c.req.path.startsWith('/api/') ? c.notFound() : next()));
  app.get('*', compress(), etag(), files);
  return app;
}
