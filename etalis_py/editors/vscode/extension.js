"use strict";

// Starts `etalis lsp`, which knows the languages; docs/editor.md says how this folder becomes an extension.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("etalis");
  const server = { command: settings.get("command"), args: ["lsp", ...settings.get("arguments")] };
  client = new LanguageClient("etalis", "EP-SPARQL", server, {
    documentSelector: ["ep-sparql", "spaseq", "etalis"].map((language) => ({ language })),
    initializationOptions: { background: settings.get("background") },
    synchronize: { configurationSection: "etalis" },
  });
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
