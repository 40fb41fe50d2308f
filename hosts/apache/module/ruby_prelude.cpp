// What of the Apache classes is written in Ruby: what calls blocks and apps, and is no faster in C++.
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

constexpr char of_requests[] = R"ruby(
class Apache
  class Request
    # What the address and the body say ------------------------------------------------------------------------------------------
    def params
      @params ||= query.merge(form)
    end

    def [](name)
      params[name]
    end

    def each_chunk(size = 16384)
      while chunk = readpartial(size)
        yield chunk
      end
      self
    end

    def gets
      @rest ||= ""
      until at = @rest.index("\n")
        chunk = readpartial(8192)
        break unless chunk
        @rest << chunk
      end
      return nil if @rest.empty?
      line = at ? @rest.byteslice(0, at + 1) : @rest
      @rest = at ? @rest.byteslice(at + 1, @rest.bytesize) : ""
      line
    end

    def each_line
      while line = gets
        yield line
      end
      self
    end

    def reverse_proxy(to)
      self.handler = "proxy-server"
      self.proxyreq = PROXYREQ_REVERSE
      self.filename = "proxy:" + to
    end

    def get?
      method == "GET"
    end

    def head?
      header_only?
    end

    def post?
      method == "POST"
    end

    def inspect
      "#<#{self.class} #{method} #{unparsed_uri}>"
    end
  end

  class Headers_in
    def user_agent
      self["User-Agent"]
    end

    def referer
      self["Referer"]
    end
  end

  [Headers_in, Headers_out, Err_headers_out, Notes, Env].each do |table|
    table.class_eval do
      include Enumerable

      def each
        to_a.each { |name, value| yield name, value }
        self
      end
      alias each_pair each

      def keys
        to_h.keys
      end

      def values
        to_h.values
      end

      def fetch(name, *otherwise)
        value = self[name]
        return value unless value.nil?
        return otherwise[0] unless otherwise.empty?
        return yield(name) if block_given?
        raise KeyError, "#{name} is not there"
      end

      def update(other)
        other.each { |name, value| self[name] = value }
        self
      end
      alias merge! update

      def empty?
        size == 0
      end

      def inspect
        "#<#{self.class} #{to_h.inspect}>"
      end
    end
  end

  class Filter
    # Takes it: what is not put back does not go on.
    def body
      text = flatten
      cleanup
      text
    end

    def body=(text)
      cleanup
      insert_tail text
    end

    def each_bucket
      while text = read
        yield text
      end
      self
    end
  end

  class Response
    alias closed? finished?

    def puts(*lines)
      lines = [""] if lines.empty?
      lines.flatten.each do |line|
        line = line.to_s
        write(line, line.end_with?("\n") ? "" : "\n")
      end
      nil
    end

    def []=(name, value)
      headers[name] = value
    end

    def [](name)
      headers[name]
    end

    # The cookie goes with redirections and error documents too.
    def set_cookie(name, value = "", options = {})
      err_headers_out.add("Set-Cookie", Cookies.make(name, value, options))
      self
    end

    def delete_cookie(name, options = {})
      set_cookie(name, "", options.merge(max_age: 0))
    end
  end
end
)ruby";

constexpr char of_rack[] = R"ruby(
class Apache
  module Rack
    # The body of the request, for apps: as a file that can be read again.
    class Input
      def initialize(request)
        @request = request
        @at = 0
      end

      def read(length = nil, buffer = nil)
        raise ArgumentError, "cannot read #{length} bytes" if length && length < 0
        left = text.bytesize - @at
        if length && length > 0 && left == 0
          buffer.replace("") if buffer
          return nil
        end
        length = left if length.nil? || length > left
        piece = length == 0 ? "" : text.byteslice(@at, length)
        @at += length
        buffer ? buffer.replace(piece) : piece
      end

      def gets
        return nil if @at >= text.bytesize
        found = text.index("\n", @at)
        read(found ? found + 1 - @at : nil)
      end

      def each
        while line = gets
          yield line
        end
        self
      end

      def rewind
        @at = 0
      end

      def size
        text.bytesize
      end

      def close
        nil
      end

      private

      def text
        @text ||= @request.body
      end
    end

    # The error log.
    class Errors
      def puts(*lines)
        lines.flatten.each { |line| Apache.log(Apache::APLOG_ERR, line.to_s) }
        nil
      end

      def write(text)
        puts(text)
        text.to_s.bytesize
      end

      def <<(text)
        puts(text)
        self
      end

      def flush
        self
      end
    end

    def self.env(request)
      env = request.rack_env
      env["rack.input"] = Input.new(request)
      env["rack.errors"] = Errors.new
      env
    end

    def self.respond(request, result)
      unless result.is_a?(Array) && result.size == 3
        raise TypeError, "a Rack app answers [status, headers, body], not #{result.inspect[0, 200]}"
      end
      status, headers, body = result
      unless status.is_a?(Integer) || status.is_a?(String)
        raise TypeError, "the status is an Integer, not #{status.inspect[0, 200]}"
      end
      phase = Apache.phase
      handler = phase == "handler" || phase == "quick_handler"
      begin
        handler ? answer(request, status.to_i, headers, body) : judge(request, status.to_i, headers, body)
      ensure
        body.close if !body.is_a?(String) && body.respond_to?(:close)
      end
    end

    # The whole response, errors too: it is the app's.
    def self.answer(request, status, headers, body)
      response = Apache.response
      set_headers(response.headers_out, nil, headers)
      return Apache.return(status) if status <= 0
      raise ArgumentError, "#{status} is no status that ends a response" if status < 200
      response.status = status
      if status == 204 || status == 304
        check_body(body)
      else
        write(response, body)
      end
      Apache.return(OK)
    end

    # A hook's result: with a body it is the response; without, httpd's answer to the request.
    def self.judge(request, status, headers, body)
      refuses = status >= 300
      set_headers(refuses ? request.err_headers_out : request.headers_out, request.headers_out, headers)
      return Apache.return(status) if status <= 0
      text = Text.new
      write(text, body)
      return Apache.return(status < 300 ? OK : status) if text.to_s.empty?
      request.status = status
      Apache.rputs(text.to_s)
      Apache.return(DONE)
    end

    def self.set_headers(table, of_location, headers)
      raise TypeError, "headers are a Hash, not #{headers.inspect[0, 200]}" unless headers.respond_to?(:each)
      headers.each do |name, value|
        raise TypeError, "the name of a header is a String, not #{name.inspect[0, 200]}" unless name.is_a?(String)
        next if value.nil? || name.start_with?("rack.")
        to = of_location && name.downcase == "location" ? of_location : table
        values = value.is_a?(Array) ? value : value.is_a?(String) ? value.split("\n") : [value]
        values = [""] if values.empty?
        values.each_with_index { |v, i| i == 0 ? to[name] = v : to.add(name, v) }
      end
    end

    def self.check_body(body)
      return if body.nil? || body.is_a?(String) || body.respond_to?(:each) || body.respond_to?(:call)
      raise TypeError, "a body responds to each or call, unlike #{body.inspect[0, 200]}"
    end

    def self.write(to, body)
      check_body(body)
      case
      when body.nil? then nil
      when body.is_a?(String) then to.write(body)
      when body.respond_to?(:each) then body.each { |part| to.write(part) }
      else body.call(to)
      end
    end

    # What a hook's body is written to.
    class Text
      def initialize
        @text = ""
      end

      def write(*parts)
        parts.each { |part| @text << part.to_s }
        parts.size
      end

      def <<(part)
        @text << part.to_s
        self
      end

      def flush
        true
      end

      def close
        nil
      end

      def to_s
        @text
      end
    end
  end
end

module Kernel
  def run(app)
    request = Apache::Request.new
    raise TypeError, "run takes an app, which responds to call" unless app.respond_to?(:call)
    Apache::Rack.respond(request, app.call(Apache::Rack.env(request)))
  end
end
)ruby";

void load(mrb_state* mrb, const char* name, const char* text, std::size_t size) {
    mrbc_context* const context = mrbc_context_new(mrb);
    mrbc_filename(mrb, context, name);
    mrb_load_nstring_cxt(mrb, text, size, context);
    mrbc_context_free(mrb, context);
    if (mrb->exc) {
        const mrb_value error = mrb_obj_value(mrb->exc);
        mrb->exc = nullptr;
        mrb_exc_raise(mrb, error);
    }
}

}  // namespace

void define_prelude(mrb_state* mrb) {
    load(mrb, "mod_mruby/request.rb", of_requests, sizeof of_requests - 1);
    load(mrb, "mod_mruby/rack.rb", of_rack, sizeof of_rack - 1);
}

}  // namespace kumihimo::inline v0::apache
