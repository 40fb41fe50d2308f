function handle(r)
    r:puts("hello world!")
end
