#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../library/file_text.hpp"
#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

struct folder {
    std::string path;
    folder() {
        path = std::filesystem::temp_directory_path() / "kumihimo_require_XXXXXX";
        REQUIRE(::mkdtemp(path.data()) != nullptr);
    }
    ~folder() { CHECK(std::system(("rm -r '" + path + "'").c_str()) == 0); }
    void file(const std::string& name, const std::string& text) const {
        const std::size_t slash = name.rfind('/');
        if (slash != std::string::npos) ::mkdir((path + "/" + name.substr(0, slash)).c_str(), 0755);
        std::ofstream(path + "/" + name) << text;
        ::usleep(60'000);  // a file of this moment is taken for one that is still written
    }
};

std::string run_as(const profile& made_with, const std::string& name, const std::string& code) {
    const auto v = vm_with(made_with);
    from_text text{name, code};
    const result r = run(*v, text);
    return r.end ? r.out : r.end.message;
}

}  // namespace

TEST_CASE("built-in names") {
    const auto v = usual_vm();
    check(*v, {{"[require('Apache'), require('apache'), require('json'), require('json'), require('cgi'), require('time.rb')]",
                "[true, false, true, false, true, true]"},
               {"require 'nokogiri'", "LoadError: cannot load such file -- nokogiri"},
               {"require 'socket'", "LoadError: cannot load such file -- socket"},
               {"require ''", "LoadError: cannot load such file -- "},
               {"require \"a\\0b\"", "ArgumentError: string contains null byte"},
               {"require 1", "TypeError: Integer cannot be converted to String"}});
    // Gone with the run.
    CHECK(answered(*v, "require 'json'") == "true");
}

TEST_CASE("files of the load path") {
    folder lib;
    lib.file("one.rb", "puts 'one'; ONE = 1; def from_one; __FILE__; end");
    lib.file("two.mrb", "require 'one'; puts 'two'");
    lib.file("sub/three.rb", "require_relative '../one'; require_relative 'four'; puts 'three'");
    lib.file("sub/four.rb", "puts 'four'");
    lib.file("bad.rb", "x = 1\nx = = 2\n");
    lib.file("raises.rb", "$tries = $tries.to_i + 1; raise 'first' if $tries == 1; puts 'second'");
    lib.file("round.rb", "puts 'round'; p require('round')");
    profile made_with;
    made_with.load_path.push_back(lib.path);
    const auto v = vm_with(made_with);
    CHECK(run(*v, "p require('one'), require('one'), require('one.rb'), ONE; puts from_one").out ==
          "one\ntrue\nfalse\nfalse\n1\n" + lib.path + "/one.rb\n");
    CHECK(run(*v, "p defined_before = Object.const_defined?(:ONE); require 'two'").out == "false\none\ntwo\n");
    CHECK(run(*v, "require 'sub/three'; require './sub/four'; require '" + lib.path + "/one'").out == "one\nfour\nthree\n");
    CHECK(run(*v, "2.times { load 'one.rb' }").out == "one\none\n");
    CHECK(run(*v, "require 'round'").out == "round\nfalse\n");
    CHECK(run(*v, "begin; require 'raises'; rescue => e; puts e.message; end; p require('raises')").out ==
          "first\nsecond\ntrue\n");
    CHECK(answered(*v, "require 'bad'").starts_with("SyntaxError: " + lib.path + "/bad.rb:2: syntax error"));
    for (const char* name : {"../one", "sub/../../one", "/etc/passwd", "/etc/hostname", "sub", "."}) {
        INFO(name);
        CHECK(answered(*v, "require '" + std::string(name) + "'") ==
              "LoadError: cannot load such file -- " + std::string(name));
        CHECK(answered(*v, "load '" + std::string(name) + "'") == "LoadError: cannot load such file -- " + std::string(name));
    }
}

TEST_CASE("what is no regular file, or cannot be read") {
    folder lib;
    CHECK(::mkfifo((lib.path + "/pipe.rb").c_str(), 0600) == 0);
    ::mkdir((lib.path + "/dir.rb").c_str(), 0755);
    profile made_with;
    made_with.load_path.push_back(lib.path);
    const auto v = vm_with(made_with);
    CHECK(answered(*v, "require 'pipe'") == "LoadError: cannot load such file -- pipe");
    CHECK(answered(*v, "require 'dir'") == "LoadError: cannot load such file -- dir");
}

TEST_CASE("require_relative stays below the script, or in the load path") {
    folder site, lib;
    site.file("app/helper.rb", "puts 'helper'");
    site.file("app/in/deep.rb", "");
    site.file("secret.rb", "puts 'secret'");
    lib.file("shared.rb", "puts 'shared'");
    profile made_with;
    CHECK(run_as(made_with, site.path + "/app/x.rb", "require_relative 'helper'; p require_relative('./helper.rb')") ==
          "helper\nfalse\n");
    CHECK(
        run_as(made_with, site.path + "/app/x.rb", "require_relative '../secret'").find("cannot load such file -- ../secret") !=
        std::string::npos);
    CHECK(run_as(made_with, site.path + "/app/x.rb", "require_relative '" + lib.path + "/shared'")
              .find("cannot load such file") != std::string::npos);
    made_with.load_path.push_back(lib.path);
    CHECK(run_as(made_with, site.path + "/app/x.rb", "require_relative '" + lib.path + "/shared'") == "shared\n");
}

TEST_CASE("a method that is called with require_relative's name is the script's, too") {
    folder site;
    site.file("helper.rb", "puts 'helper'");
    const profile made_with;
    CHECK(run_as(made_with, site.path + "/x.rb", "p ['helper'].map(&method(:require_relative))") == "helper\n[true]\n");
}

TEST_CASE("paths as text") {
    CHECK(plain_path("/a/b/../c//d/.") == "/a/c/d");
    CHECK(plain_path("/../..") == "/");
    CHECK(plain_path("a/../../b") == "../b");
    CHECK(plain_path("../../a/..") == "../..");
    CHECK(plain_path("") == ".");
    CHECK(plain_path("./a") == "a");
    CHECK(is_under("/a/b", "/a"));
    CHECK(is_under("/a", "/a/"));
    CHECK_FALSE(is_under("/ab", "/a"));
    CHECK(is_under("x/y", "."));
    CHECK_FALSE(is_under("../x", "."));
    CHECK(is_under("/x", "/"));
}
