"""The description of a family of models: the fields of its config files, by the facts that they state, and the
names of its weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

REQUIRED = object()
"""The default of a field that a config file must state."""

Fields: TypeAlias = Mapping[str, tuple[str | tuple[str, ...], Any]]
"""For each fact, the field that states it (or its names, old and new) and the family's published default; None where
the fact follows from others."""
Facts: TypeAlias = dict[str, Any]
"""The facts of one model by name, with `names`, the names of its weights by role."""
Switch: TypeAlias = tuple[Any, Callable[[Any, Facts], None]]
"""A field that chooses between variants: the published default, and what the field's value does to the facts."""
Windows: TypeAlias = Literal["none", "all", "from", "below", "but every"]
"""The layers that see the last tokens only: none, all, those from `max_window_layers` on, every second one below this
number, or all but the last one of each period of layers."""


@dataclass(frozen=True)
class Family:
    """A family of models: how its config file states the facts, and what holds for all of its models.

    Roles of weights (a role that a model lacks has no op): `embedding`, `embedding_in` (a product), `embedding_norm`,
    `positions`, `final_norm`, `embedding_out` (a product), `head`; in each layer the norms `attention_norm` and
    `feed_forward_norm` before a block, `attention_out_norm` and `feed_forward_out_norm` of its result,
    `attention_sum_norm` and `feed_forward_sum_norm` after its result is added; `query`, `key`, `value` or
    `query_key_value`, `output`, `query_norm`, `key_norm`, `sinks`; `gate`, `up` or `gate_up`, `down`; those of latent
    attention (latent.py) and of experts (experts.py).
    """

    fields: Fields
    names: Mapping[str, str]
    facts: Mapping[str, Any] = field(default_factory=Facts)
    """Facts that hold for all models of the family."""
    switches: Mapping[str, Switch] = field(default_factory=dict[str, Switch])
    """Fields that choose between variants, in the order in which they do so; the facts of `fields` are known then."""
    finish: Callable[[Facts], None] | None = None
    """Completes the facts after all switches."""
    expected: Mapping[str, tuple[Any, ...]] = field(default_factory=dict[str, tuple[Any, ...]])
    """Fields with the only values that are supported; the first one is the published default."""
    ignored: tuple[str, ...] = ()
    """Fields of the family that do not change what a model computes."""
    inside: str = ""
    """The field that holds the config of the language model, in a family of models of text and images."""
    dtype: str = "float32"
    """The element type where the file states none."""
    theta: float = 10000.0
    """The base of rotations where the file states none."""
    local_theta: float = 0.0
    """The same for layers with a window, if it is another one; scalings do not apply to these."""
    global_rotation: bool = True
    """False if layers without a window turn nothing."""
    turned: float = 1.0
    """The share of a head's elements that turn, where the file states none."""
    windows: Windows = "none"
    """The layers that see the last tokens only, where the file has no `layer_types`."""
    period: int = 0
    """The number of layers in a period."""
    windows_used: bool = True
    """False if the file must say `use_sliding_window` for these layers to exist."""
    window: int | None = None
    """The number of these tokens where the file states none."""


SIZES: Fields = {
    "vocabulary": ("vocab_size", REQUIRED),
    "hidden": ("hidden_size", REQUIRED),
    "layers": ("num_hidden_layers", REQUIRED),
    "heads": ("num_attention_heads", REQUIRED),
    "kv_heads": ("num_key_value_heads", None),
    "head_size": ("head_dim", None),
    "feed_forward": ("intermediate_size", REQUIRED),
    "activation": ("hidden_act", "silu"),
    "context": ("max_position_embeddings", REQUIRED),
    "epsilon": ("rms_norm_eps", 1e-6),
    "tied": ("tie_word_embeddings", False),
}
"""The usual fields, those of Llama."""


def fields(*parts: Fields) -> Fields:
    """The fields of several tables; a later one counts where two state the same fact."""
    return {fact: stated for part in parts for fact, stated in part.items()}


BIASED: Fields = {"query_key_bias": ("attention_bias", False), "output_bias": ("attention_bias", False)}

IGNORED = (
    *("_attn_implementation", "_attn_implementation_autoset", "_name_or_path", "architectures", "attn_implementation"),
    *("auto_map", "dtype", "model_type", "torch_dtype", "transformers_version", "tokenizer_class", "use_bfloat16"),
    *("activation_dropout", "attention_dropout", "attention_probs_dropout_prob", "attn_pdrop", "classifier_dropout"),
    *("dropout", "embd_pdrop", "hidden_dropout", "hidden_dropout_prob", "layerdrop", "model_max_length"),
    *("resid_pdrop", "initializer_range", "init_std", "gradient_checkpointing", "router_aux_loss_coef"),
    *("router_jitter_noise", "output_router_logits", "pretraining_tp", "use_cache", "use_flash_attn", "torchscript"),
    *("bos_token_id", "eos_token_id", "pad_token_id", "sep_token_id", "unk_token_id", "decoder_start_token_id"),
    *("forced_bos_token_id", "forced_eos_token_id", "prefix", "suppress_tokens", "begin_suppress_tokens"),
    *("id2label", "label2id", "problem_type", "finetuning_task", "task_specific_params", "return_dict"),
    *("output_attentions", "output_hidden_states", "output_past", "keys_to_ignore_at_inference", "pruned_heads"),
    *("chunk_size_feed_forward", "cross_attention_hidden_size", "is_decoder", "is_encoder_decoder"),
    *("tie_encoder_decoder", "tf_legacy_loss", "remove_invalid_values", "max_length", "min_length", "do_sample"),
    *("early_stopping", "num_beams", "num_beam_groups", "diversity_penalty", "temperature", "top_k", "top_p"),
    *("typical_p", "repetition_penalty", "length_penalty", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size"),
    *("bad_words_ids", "num_return_sequences", "output_scores", "return_dict_in_generate"),
    *("exponential_decay_length_penalty", "add_cross_attention", "cache_implementation", "transformers.js_config"),
)
"""Fields that never change what a model computes in a step: those of training, of sampling, of tokenizers, of files."""


def named(prefix: str, **roles: str) -> dict[str, str]:
    """Names of weights by role; those that begin with a dot are in a layer, whose name is `prefix`; empty ones are left
    out."""
    return {role: prefix + name if name[0] == "." else name for role, name in roles.items() if name}


LAYER = "model.layers.{layer}"
"""The usual name of a layer, with the place of its number."""


def llama_names(**roles: str) -> dict[str, str]:
    """The usual names of weights, those of Llama, with changes and additions; an empty name leaves a role out."""
    usual = {
        "embedding": "model.embed_tokens.weight",
        "final_norm": "model.norm.weight",
        "head": "lm_head.weight",
        "attention_norm": ".input_layernorm.weight",
        "query": ".self_attn.q_proj.weight",
        "key": ".self_attn.k_proj.weight",
        "value": ".self_attn.v_proj.weight",
        "output": ".self_attn.o_proj.weight",
        "feed_forward_norm": ".post_attention_layernorm.weight",
        "gate": ".mlp.gate_proj.weight",
        "up": ".mlp.up_proj.weight",
        "down": ".mlp.down_proj.weight",
    }
    return named(LAYER, **(usual | roles))


HEAD_NORMS = {"query_norm": ".self_attn.q_norm.weight", "key_norm": ".self_attn.k_norm.weight"}
