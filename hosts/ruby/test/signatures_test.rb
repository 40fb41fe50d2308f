# frozen_string_literal: true

# sig/ and the library say the same: every public constant and method of ours has a signature, every signature is of something that is
# there, and takes as many arguments and the same keywords.
require "minitest/autorun"
require "pathname"
begin
  require "rbs"
rescue LoadError
  nil
end
{ "active_support" => %w[active_support active_support/json kumihimo/rails kumihimo/rails/decoder], "multi_json" => %w[kumihimo/multi_json] }.each_value do |files|
  files.each { |file| require file }
rescue LoadError
  nil
end
require "kumihimo"

class SignaturesTest < Minitest::Test
  SIGNATURES = Pathname(File.expand_path("../sig", __dir__))
  # What Struct gives its classes.
  OF_STRUCTS = %i[keyword_init? members inspect].freeze

  def setup
    unless defined?(RBS)
      puts "not proven: the RBS signatures (no rbs gem)"
      skip "no rbs gem"
    end
    @environment = self.class.environment
    @builder = self.class.builder
  end

  class << self
    def environment
      @environment ||= begin
        loader = RBS::EnvironmentLoader.new
        loader.add(library: "json", version: nil)
        loader.add(path: SIGNATURES)
        RBS::Environment.from_loader(loader).resolve_type_names
      end
    end

    def builder = @builder ||= RBS::DefinitionBuilder.new(env: environment)
  end

  def declared
    @environment.class_decls.keys.select { |name| name.to_s.start_with?("::Kumihimo") }
  end

  # Our classes and modules that anybody can name.
  def modules(of = Kumihimo, found = {})
    return found if found[of]

    found[of] = of.constants(false)
    of.constants(false).each do |name|
      value = of.const_get(name)
      modules(value, found) if value.is_a?(Module) && value.name == "#{of.name}::#{name}"
    end
    found
  end

  def test_every_signature_is_well_formed
    refute_empty declared
    declared.each do |name|
      [@builder.build_instance(name), @builder.build_singleton(name)].each do |definition|
        definition.methods.each_value { |method| method.method_types.each { |type| refute_empty type.to_s } }
      end
    end
    # A name that nothing declares would be found out here.
    validator = RBS::Validator.new(env: @environment, resolver: @environment.respond_to?(:class_alias_decls) ? RBS::Resolver::TypeNameResolver.new(@environment) : RBS::TypeNameResolver.from_env(@environment))
    declared.each do |name|
      definition = @builder.build_instance(name)
      definition.methods.each_value do |method|
        next unless method.defined_in == name

        method.method_types.each { |type| type.each_type { |inner| validator.validate_type(inner, context: [RBS::Namespace.root]) } }
      end
    end
  end

  def test_modules_and_constants
    ours = modules
    names = ours.keys.map { |one| "::#{one.name}" }
    missing = declared.map(&:to_s) - names
    missing.reject! { |name| name.start_with?("::Kumihimo::Rails") } unless defined?(Kumihimo::Rails::Decoder)
    missing.delete("::Kumihimo::MultiJsonAdapter") unless defined?(Kumihimo::MultiJsonAdapter)
    assert_empty missing, "signatures of what is not there"
    assert_empty names - declared.map(&:to_s), "without a signature"
    constants = @environment.constant_decls.keys.map(&:to_s).select { |name| name.start_with?("::Kumihimo") }
    plain = ours.flat_map { |of, list| list.reject { |name| ours.key?(of.const_get(name)) }.map { |name| "::#{of.name}::#{name}" } }
    assert_empty plain - constants, "constants without a signature"
    assert_empty (constants - plain).select { |name| names.include?(name[/.*(?=::)/]) }, "signatures of constants that are not there"
  end

  # A class's own new is its initialize's signature.
  def own(name, definition, kind)
    definition.methods.select { |method, found| found.defined_in == name && found.accessibility == :public && !(kind == :instance && method == :initialize) && !(kind == :singleton && found.method_types.empty?) }
  end

  def test_methods
    modules.each_key do |one|
      name = RBS::TypeName.new(namespace: RBS::Namespace.parse("::#{one.name}").parent, name: one.name[/\w+\z/].to_sym)
      struct = one.is_a?(Class) && one < Struct
      { singleton: [@builder.build_singleton(name), one.singleton_methods(false)], instance: [@builder.build_instance(name), one.public_instance_methods(false)] }.each do |kind, (definition, there)|
        signed = own(name, definition, kind)
        there -= OF_STRUCTS if struct && kind == :singleton
        # new is signed by initialize, unless it is a method of the class's own.
        wanted = signed.keys - (kind == :singleton && !there.include?(:new) ? [:new] : [])
        assert_empty there - wanted - [:initialize_copy], "#{one.name}, #{kind} methods without a signature"
        assert_empty wanted - there, "#{one.name}, signatures of #{kind} methods that are not there"
        wanted.each do |method|
          found = kind == :singleton ? one.method(method) : one.instance_method(method)
          compare("#{one.name} #{kind} #{method}", found, signed[method].method_types.map(&:type))
        end
      end
    end
  end

  def compare(what, method, types)
    parameters = method.parameters
    return if parameters == [[:rest]] # written in C, with a count of its own
    kinds = parameters.group_by(&:first).transform_values { |list| list.map(&:last) }
    least, most = kinds.fetch(:req, []).size, kinds.key?(:rest) ? Float::INFINITY : kinds.fetch(:req, []).size + kinds.fetch(:opt, []).size
    types.each do |type|
      needed = type.required_positionals.size + type.trailing_positionals.size
      assert_operator needed, :>=, least, "#{what}: arguments"
      assert_operator needed + type.optional_positionals.size, :<=, most, "#{what}: arguments"
      unknown = type.required_keywords.keys + type.optional_keywords.keys - kinds.fetch(:key, []) - kinds.fetch(:keyreq, [])
      assert_empty unknown, "#{what}: keywords" unless kinds.key?(:keyrest)
    end
    taken = types.flat_map { |type| type.optional_keywords.keys + type.required_keywords.keys }
    assert_empty kinds.fetch(:key, []) - taken, "#{what}: keywords without a signature"
    widest = types.map { |type| type.rest_positionals ? Float::INFINITY : type.required_positionals.size + type.optional_positionals.size }.max
    assert_operator widest, :>=, kinds.key?(:rest) ? 0 : most, "#{what}: arguments without a signature"
  end
end
