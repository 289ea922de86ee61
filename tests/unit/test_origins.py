"""Files of somebody else, of a generator and of a minifier, and those that only look like one."""

import pytest

from codesage import origins
from codesage.origins import is_generated, is_minified, is_vendored

VENDORED = [
    "vendor/github.com/x/y/z.go",
    "lib/_vendor/six.py",
    "botocore/vendored/requests/api.py",
    "src/extern/agg/agg.h",
    "third_party/zlib/inflate.c",
    "third-party/zlib/inflate.c",
    "tests/thirdparty/doctest/doctest.h",
    "Source/ThirdParty/zlib/inflate.c",
    "3rdparty/zlib/inflate.c",
    "3rd_party/zlib/inflate.c",
    "3rd-party/zlib/inflate.c",
    "static/MathJax/config/default.js",
    "static/ace-builds/src/ace.js",
    "node_modules/left-pad/index.js",
    "docs/node_modules/left-pad/index.js",
    "bower_components/jquery/src/core.js",
    "jspm_packages/npm/core.js",
    "Pods/Alamofire/Source/Session.swift",
    "Carthage/Checkouts/Nimble/Nimble.swift",
    "Godeps/_workspace/src/x/x.go",
    "env/lib/python3.11/site-packages/six.py",
    "infra/.terraform/modules/vpc/main.tf",
    "vendor/src/main/java/org/example/A.java",
    "deps/hiredis/hiredis.c",
    "Dependencies/lua/lua.c",
    "packages/Newtonsoft.Json.13.0.1/src/JsonConvert.cs",
    ".yarn/releases/yarn-3.6.1.cjs",
    "frontend/.yarn/plugins/plugin.cjs",
    ".mvn/wrapper/Downloader.java",
    "ios/Sparkle.framework/Headers/Sparkle.h",
    "ios/Sparkle.framework/Versions/A/Headers/Sparkle.h",
    "ios/Sparkle.xcframework/ios-arm64/Sparkle.h",
    "gradlew",
    "android/gradlew.bat",
    "mvnw",
    "mvnw.cmd",
    "wrapper/MavenWrapperDownloader.java",
    "build-aux/config.guess",
    "build-aux/config.sub",
    "depcomp",
    "install-sh",
    "ltmain.sh",
    "mdate-sh",
    "mkinstalldirs",
    "py-compile",
    "ylwrap",
    "ppport.h",
    "scripts/cpplint.py",
    "ez_setup.py",
    "versioneer.py",
    "docs/_static/doctools.js",
    "docs/_static/searchtools.js",
    "docs/_static/language_data.js",
    "docs/_static/sphinx_highlight.js",
    "js/html5shiv.js",
    "js/jquery.js",
    "js/jQuery-UI.js",
    "js/jquery.validate.js",
    "js/modernizr.js",
    "js/underscore.js",
    "js/jquery-3.6.0.js",
    "js/jquery-ui-1.12.1.js",
    "js/jquery.cookie-1.4.1.js",
    "js/angular-route-1.5.js",
    "js/bootstrap-3.3.7.css",
    "js/d3.v5.js",
    "js/mootools-core-1.4.5.js",
    "js/react-dom-16.8.0.development.js",
    "js/vue-2.6.14.esm.js",
]

OWN = [
    "vendor.py",
    "src/vendor.go",
    "docs/vendor.md",
    "app/models/Vendor.php",
    "Domain/Vendor/Vendor.cs",
    "Domain/Vendors/VendorService.cs",
    "apps/vendors/views.py",
    "src/main/java/com/example/shop/vendor/Vendor.java",
    "src/test/kotlin/com/example/vendor/VendorTest.kt",
    "app/src/main/scala/example/third_party/Client.scala",
    "pkg/pods/list.go",
    "src/external/api.py",
    "src/deps/graph.go",
    "tools/dependencies/Dependencies.kt",
    "packages/core/src/index.ts",
    "packages/v2.1/src/index.ts",
    ".yarn/patches/left-pad.patch",
    "org.example.framework/src/Main.java",
    "Shop.Framework/Headers.cs",
    "tests/testdata/src/a.go",
    "spec/fixtures/a.rb",
    "test/fixtures/a.py",
    ".github/scripts/release.py",
    "docs/_static/custom.js",
    "docs/conf.py",
    "cache/store.py",
    "env/prod/main.tf",
    "types/index.d.ts",
    "js/bootstrap.js",
    "src/integrations/react.js",
    "src/jquery.plugin.js",
    "examples/chart-2.js",
    "src/prototype.js",
    "tools/controls.js",
    "bin/configure",
    "bin/compile",
    "setup.py",
    "jquery.py",
]

GENERATED = [
    ("src/__generated__/Query.ts", ""),
    ("src/__snapshots__/App.test.tsx", ""),
    (".idea/workspace.xml", ""),
    ("bun.lock", ""),
    ("deno.lock", ""),
    ("npm-shrinkwrap.json", ""),
    ("web/package-lock.json", ""),
    ("pnpm-lock.yaml", ""),
    ("yarn.lock", ""),
    (".pnp.cjs", ""),
    (".pnp.js", ""),
    (".pnp.mjs", ""),
    (".pnp.loader.mjs", ""),
    (".pnp.data.json", ""),
    ("pdm.lock", ""),
    ("Pipfile.lock", ""),
    ("pixi.lock", ""),
    ("poetry.lock", ""),
    ("pylock.toml", ""),
    ("uv.lock", ""),
    ("go.sum", ""),
    ("glide.lock", ""),
    ("Gopkg.lock", ""),
    ("Cargo.lock", ""),
    ("composer.lock", ""),
    ("Gemfile.lock", ""),
    ("Cartfile.resolved", ""),
    ("Package.resolved", ""),
    ("ios/Podfile.lock", ""),
    ("pubspec.lock", ""),
    ("flake.lock", ""),
    ("gradle.lockfile", ""),
    ("mix.lock", ""),
    ("MODULE.bazel.lock", ""),
    ("packages.lock.json", ""),
    ("paket.lock", ""),
    ("charts/Chart.lock", ""),
    ("infra/.terraform.lock.hcl", 'provider "registry/aws" {\n}\n'),
    ("docs/html/searchindex.js", ""),
    ("api_pb2.py", ""),
    ("api_pb2.pyi", ""),
    ("api_pb2_grpc.py", ""),
    ("api_pb2_grpc.pyi", ""),
    ("lib/api_pb.rb", ""),
    ("lib/api_services_pb.rb", ""),
    ("api_pb.js", ""),
    ("api_grpc_web_pb.js", ""),
    ("api_pb.ts", ""),
    ("api_pb.d.ts", ""),
    ("api.pb.go", ""),
    ("api_grpc.pb.go", ""),
    ("api.pb.gw.go", ""),
    ("api.pb.c", ""),
    ("api.grpc.pb.cc", ""),
    ("api.pb.h", ""),
    ("api.pb.swift", ""),
    ("api.grpc.swift", ""),
    ("a.g.dart", ""),
    ("a.freezed.dart", ""),
    ("a.gr.dart", ""),
    ("a.mocks.dart", ""),
    ("a.pb.dart", ""),
    ("a.pbenum.dart", ""),
    ("a.pbjson.dart", ""),
    ("Form1.Designer.cs", ""),
    ("Form1.Designer.vb", ""),
    ("Login.feature.cs", ""),
    ("App.g.cs", ""),
    ("App.g.i.cs", ""),
    ("Api.generated.cs", ""),
    ("kernel.zep.c", ""),
    ("kernel.zep.h", ""),
    ("kernel.zep.php", ""),
    ("api.generated.ts", ""),
    ("api.generated.tsx", ""),
    ("api.generated.js", ""),
    ("R.generated.swift", ""),
    ("api.gen.go", ""),
    ("api.gen.ts", ""),
    ("jquery-vsdoc.js", ""),
    ("jquery.intellisense.js", ""),
    ("app.bundle.js", ""),
    ("main.0a1b.chunk.js", ""),
    ("app.js.map", ""),
    ("app.mjs.map", ""),
    ("app.cjs.map", ""),
    ("app.css.map", ""),
    ("index.d.ts.map", ""),
    ("src/snapshots/a.snap", ""),
    ("App.storyshot", ""),
    ("App.xcodeproj/project.pbxproj", ""),
    ("App.xcworkspace/contents.xcworkspacedata", ""),
    ("App.xcodeproj/UserInterfaceState.xcuserstate", ""),
    ("dist/index.js", ""),
    ("packages/core/dist/index.mjs", ""),
    ("dist/index.cjs", ""),
    ("dist/app.css", ""),
    ("dist/index.d.ts", ""),
    ("dist/index.d.mts", ""),
    ("dist/index.d.cts", ""),
    ("app.js", "/*! A licence. */\n/******/ (() => { // webpackBootstrap\n"),
    ("app.js", "(function e(t,n,r){function s(o,u){}})({1:[function(require,module){"),
    ("app.js", "require=(function(){function r(e,n,t){}})({1:[function(require,module){"),
    ("Shop.xml", '<?xml version="1.0"?>\n<doc>\n    <assembly>\n        <name>Shop</name>\n'),
    ("api/A.html", "<!DOCTYPE HTML>\n<html>\n<head>\n<!-- Generated by javadoc (17) -->\n"),
    ("api/A.html", "<html>\n<!-- Generated by Doxygen 1.9.1 -->\n"),
    ("ShopGrpc.java", "package shop;\n\n/**\n */\n@io.grpc.stub.annotations.GrpcGenerated\nclass A {}\n"),
    (
        "ShopGrpc.java",
        'package shop;\n\n@javax.annotation.Generated(\n    value = "by gRPC proto compiler")\n',
    ),
    ("Assets/Player.cs.meta", "fileFormatVersion: 2\nguid: 0a1b2c\n"),
    ("icon.png.import", '[remap]\n\nimporter="texture"\n'),
    ("bundle.map", '{"version":3,"sources":[]}'),
    ("cassettes/login.yml", "---\nhttp_interactions:\n- request:\n"),
    ("a.js", "(function() {\n}).call(this);\n\n//# sourceMappingURL=a.js.map\n"),
    ("a.mjs", "export {};\n//@ sourceMappingURL=a.mjs.map"),
    ("a.cjs", "x;\n  //# sourceURL=a.ts"),
    ("a.css", "a{}\n/*# sourceMappingURL=a.css.map */\n"),
    ("a.go", "// Code generated by x. DO NOT EDIT.\npackage a\n"),
    ("a.dart", "// GENERATED CODE - DO NOT MODIFY BY HAND\n"),
    ("a.lua", "-- Code generated by x. DO NOT EDIT.\n"),
    ("a.proto", "// This file was autogenerated by go-to-protobuf. Do not edit it manually!\n"),
]

WRITTEN = [
    ("a.py", "x = 1\n"),
    ("generated.py", "def is_generated(path):\n    return '_pb2.py' in path\n"),
    ("src/is_generated.go", "package src\n"),
    ("src/generated/readme.py", "x = 1\n"),
    ("bit_string.go", "package ast\n\ntype BitString struct{}\n"),
    ("gen.go", "package main\n\nconst head = `\n// Code generated by x. DO NOT EDIT.\n`\n"),
    ("lock.py", ""),
    ("lib/lock.rs", ""),
    ("package.json", ""),
    ("requirements.txt", "# This file is autogenerated by pip-compile with Python 3.11\n"),
    (".github/workflows/ci.yml", "# This file is generated by a tool. Do not edit.\n"),
    ("README.md", "<!-- Generated by a tool. DO NOT EDIT. -->\n"),
    ("docs/index.rst", ".. This file was automatically generated. Do not edit.\n"),
    ("notes.adoc", "// Code generated by x. DO NOT EDIT.\n"),
    ("src/dist/normal.py", "class Normal: pass\n"),
    ("src/dist/normal.ts", "export class Normal {}\n"),
    ("distance.js", ""),
    ("src/app.js", "const url = '//# sourceMappingURL=a.js.map'\nrun(url)\n"),
    ("src/app.js", "//# sourceMappingURL=a.js.map\nrun()\n"),
    ("src/app.ts", "run()\n//# sourceMappingURL=a.js.map\n"),
    ("src/app.js", "(function () {\n  run()\n})()\n"),
    ("src/bundle.js", "run()\n"),
    ("config.xml", '<?xml version="1.0"?>\n<doc>\n<page/>\n</doc>\n'),
    ("index.html", "<html>\n<body>Generated by javadoc</body>\n"),
    (
        "Names.java",
        'package shop;\n\nclass Names { String it = "@io.grpc.stub.annotations.GrpcGenerated"; }\n',
    ),
    ("level.map", "########\n#......#\n"),
    ("ci.yml", "---\njobs:\n"),
    ("snap.py", ""),
    ("testdata/a.go", "package a\n"),
    (
        "migrations/0001_initial.py",
        "# Generated by Django 4.2 on 2024-01-01 10:00\n\nclass Migration: pass\n",
    ),
]


@pytest.mark.parametrize("path", VENDORED)
def test_a_place_or_name_of_copied_code_makes_a_file_vendored(path: str) -> None:
    assert is_vendored(path)


@pytest.mark.parametrize("path", OWN)
def test_what_can_be_a_teams_own_is_not_vendored(path: str) -> None:
    assert not is_vendored(path)


@pytest.mark.parametrize(("path", "text"), GENERATED)
def test_a_name_or_mark_of_a_generator_makes_a_file_generated(path: str, text: str) -> None:
    is_source = path.endswith((".go", ".java"))

    assert is_generated(path, text.encode(), is_source=is_source)


@pytest.mark.parametrize(("path", "text"), WRITTEN)
def test_what_only_speaks_of_generators_is_not_generated(path: str, text: str) -> None:
    is_source = path.endswith((".py", ".go", ".rs", ".ts", ".js", ".java"))

    assert not is_generated(path, text.encode(), is_source=is_source)


def test_every_rule_has_an_example() -> None:
    parts = {part for path in VENDORED for part in path.split("/")[:-1]}
    names = {path.rpartition("/")[2].lower() for path in VENDORED}
    generated = [path.lower() for path, _ in GENERATED]
    generated_parts = {part for path in generated for part in path.split("/")}

    assert parts >= origins.VENDORED_FOLDERS | origins.VENDORED_ROOTS
    assert names >= origins.VENDORED_NAMES
    assert generated_parts >= origins.GENERATED_FOLDERS | origins.GENERATED_NAMES
    assert [end for end in origins.GENERATED_ENDS if not any(path.endswith(end) for path in generated)] == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("jquery.min.js", b""),
        ("Chart-min.JS", b""),
        ("a.min.mjs", b""),
        ("a.min.cjs", b""),
        ("a.min.css", b""),
        ("a.js", b"var a=1;" * 1000),
        ("a.mjs", b"var a=1;" * 1000),
        ("a.cjs", b"var a=1;" * 1000),
        ("a.css", b"a{b:c}" * 1000),
        ("a.ts", b"var a=1;" * 1000),
        ("a.js", b"/* A licence\n * of some lines.\n */\n" + b"var a=1;" * 1000),
    ],
)
def test_a_script_or_style_of_long_lines_is_minified(path: str, text: bytes) -> None:
    assert is_minified(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", b"var a = 1;\n" * 1000),
        ("a.js", b"x = '" + b"a" * 1900 + b"'"),
        ("data.py", b"x = '" + b"a" * 9000 + b"'"),
        ("admin.js", b""),
        ("min.js", b""),
        ("a.min.py", b""),
        ("Makefile", b"a" * 9000),
    ],
)
def test_short_lines_other_languages_and_one_long_line_are_not_minified(path: str, text: bytes) -> None:
    assert not is_minified(path, text)
