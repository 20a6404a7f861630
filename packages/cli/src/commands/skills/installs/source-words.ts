/** The sources that `ambit skills add` and `review` can read, for their help. */
export const sourceWords =
  'a .zip or .tar.gz file, the https:// URL of either, of a git repository or of a site with an index of skills, oci://REGISTRY/REPOSITORY:TAG, mcp+https:// and the rest of the URL of an MCP server, or owner/repository on GitHub; #REF:FOLDER names a branch, tag or commit, and a folder in it';
