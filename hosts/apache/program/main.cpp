// kumihimo-mruby: runs a script in a VM, without httpd.
#include <cstdio>

int main() {
    std::fputs("kumihimo-mruby: usage: kumihimo-mruby [options] SCRIPT\n", stderr);
    return 2;
}
