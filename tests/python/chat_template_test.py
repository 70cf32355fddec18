"""heddle.ChatTemplate: templates are rendered as transformers renders them; a template that tries to leave its sandbox is
refused."""
import enum
import sys
import types
import unittest.mock

import heddle
import support

USER = {"role": "user", "content": "Hi"}
CHATML = ("{% for message in messages %}\n"
          "    {{- '<|im_start|>' + message['role'] + '\\n' + message.content + '<|im_end|>\\n' -}}\n"
          "{% endfor %}\n{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")


def render(source, messages=(USER,), special=None, **more):
    return heddle.ChatTemplate(source, special).render(messages, **more)


@support.needs_jinja
class Templates(support.Folder):
    def test_messages(self):
        messages = [{"role": "system", "content": "Be brief."}, USER]
        wanted = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        self.assertEqual(render(CHATML, messages), wanted + "<|im_start|>assistant\n")
        self.assertEqual(render(CHATML, messages, add_generation_prompt=False), wanted)
        self.assertEqual(render("{{ bos_token }}{{ eos_token is defined }}", special={"bos_token": "<s>"}), "<s>False")

    def test_lines_of_blocks_leave_no_space(self):
        self.assertEqual(render("a\n  {% if true %}\n  b\n  {% endif %}\nc"), "a\n  b\nc")

    def test_functions_of_templates(self):
        self.assertEqual(render("{{ {'b': '<é>', 'a': [1, none]} | tojson }}"), '{"b": "<é>", "a": [1, null]}')
        self.assertEqual(render("{{ [1] | tojson(indent=2) }}"), "[\n  1\n]")
        self.assertEqual(render("{% for i in range(9) %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}"), "012")
        self.assertEqual(render("{% set ns = namespace(n=1) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}"
                                "{{ ns.n }}", [USER, USER]), "3")
        self.assertEqual(render("{{ dict(a=1).items() | list }}"), "[('a', 1)]")
        self.assertEqual(render("{% generation %}answer{% endgeneration %}"), "answer")
        self.assertRegex(render("{{ strftime_now('%Y') }}"), r"^\d{4}$")
        self.assertEqual(render("{{ tools[0].name }} {{ documents }} {{ enable_thinking }}", tools=[{"name": "f"}],
                                enable_thinking=False), "f None False")

    def test_values_are_plain(self):
        class Role(str, enum.Enum):
            USER = "user"
        message = {"role": Role.USER, "content": "x", "name": None}
        self.assertEqual(render("{{ messages[0].role }} {{ 'name' in messages[0] }}", [message]), "user False")
        with self.check(heddle.ArgumentError, "expected a JSON value for the chat template, found Folder"):
            render(CHATML, tools=[support.Folder()])

    def test_templates_stay_in_the_sandbox(self):
        attempts = [
            "{{ ''.__class__.__mro__ }}", "{{ (messages | attr('__class__')).x }}", "{{ dict.__globals__.x }}",
            "{{ cycler.__init__.__globals__.os }}", "{{ lipsum.__globals__['os'].popen('id').read() }}",
            "{{ raise_exception.__globals__['sys'] }}", "{{ namespace.__init__.__globals__ }}",
            "{{ messages.append(1) }}", "{{ messages[0].update(role='system') }}", "{{ namespace(__class__=1) }}",
            "{% set ns = namespace() %}{% set ns.__init__ = 1 %}", "{{ self.__init__.__globals__.x }}",
        ]
        for source in attempts:
            with self.subTest(source=source), self.check(heddle.ArgumentError, "the chat template tries to leave its sandbox"):
                render(source)
        # These expressions would reveal an object, but they are undefined in the sandbox and print nothing.
        self.assertEqual(render("{{ '{0.__class__}'.format(messages) }}{{ messages.__class__ }}"), "")

    def test_refusals(self):
        def refused(pattern, source=CHATML, messages=(USER,)):
            with self.check(heddle.ArgumentError, pattern):
                render(source, messages)

        refused(r"the chat template is not valid: .*\(line 2\)", "\n{% for %}")
        refused("the chat template is not valid: Encountered unknown tag 'include_all'", "{% include_all %}")
        refused("the chat template: roles must alternate", "{{ raise_exception('roles must alternate') }}")
        refused("the chat template: 'x' is undefined", "{{ x.y }}")
        refused("the chat template: .*division", "{{ 1 / 0 }}")
        refused("the chat template: ", "{% include 'other' %}")
        refused("messages: there are none", messages=[])
        refused("messages: expected a list of dicts with role and content, found str", messages="Hi")
        refused("messages: expected a list of dicts, found int", messages=3)
        refused(r"messages\[1\]: expected a dict with role and content, found 'x'", messages=[USER, "x"])
        refused(r"messages\[0\]: content: expected text, found 3", messages=[{"role": "user", "content": 3}])


class Packages(support.Folder):
    def test_missing_and_old_packages(self):
        from heddle import _optional
        for name, pattern in (("jinja2", r"the package jinja2, which renders .*: pip install 'jinja2>=3.1.6'"),
                              ("tokenizers", r"the package tokenizers, which .*: pip install 'tokenizers>=0.19'")):
            with unittest.mock.patch.dict(sys.modules, {name: None}):
                with self.check(heddle.Error, pattern):
                    _optional.require(name)
            old = types.SimpleNamespace(__version__="0.18.9rc1")
            with unittest.mock.patch.dict(sys.modules, {name: old}):
                with self.check(heddle.Error, f"the package {name}, .*has version 0.18.9rc1, expected .* or later"):
                    _optional.require(name)


support.main()
