/**
 * Where the source of the build is, for a link of the console: `CEIBA_SOURCE_URL`, which the workflow of
 * the images sets; empty where it is not set. The address is in no file, so that a fork names its own.
 *
 * @returns {string}
 * @throws {Error} where it is not the address of a page
 */
export function sourceUrl() {
  const given = process.env.CEIBA_SOURCE_URL?.trim() ?? '';
  if (given === '' || (/^https?:\/\//.test(given) && URL.canParse(given))) return given;
  throw new Error('CEIBA_SOURCE_URL must be an address such as https://git.example.com/ceiba');
}
