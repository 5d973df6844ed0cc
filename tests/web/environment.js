// SPDX-License-Identifier: MIT
// Linked into the tests that Node runs: programs built by emscripten have their own environment; this passes Node's to
// them.
Module["preRun"] = () => Object.assign(ENV, process.env);
